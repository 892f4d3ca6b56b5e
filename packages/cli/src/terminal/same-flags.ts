/** A flag of ours, and the names of other tools for it. */
const SAME_FLAGS = [
  'rest-addr port host bind listen address http-port',
  'addr port host bind listen address grpc-port',
  'url server host endpoint',
  'limit=0 count c',
  'limit n size top max max-results first num head rows',
  'size n limit top count max',
  'offset from skip start page p',
  'filter where fq',
  'query where q filter',
  'sort order order-by sort-by orderby',
  'fields select return source show',
  'columns select return fields',
  'facet group-by groupby by terms',
  'field facet group-by by column on',
  'terms facet field fields group-by groupby by',
  'output out outfile save-to',
  'format output-format as',
  'yes force f no-confirm assume-yes',
  'debug verbose v trace',
  'data-dir data db dir path home root store',
  'detach background async daemon d',
  'follow watch tail f',
  'mode type semantic hybrid',
  'syntax lang language',
  'operator default-operator op',
  'hydrate full rows',
  'highlight hl',
  'plan dry-run dryrun',
  'config c conf',
  'warehouse lake root dir',
  'snapshot version as-of at',
  'as-of snapshot version at',
  'profile env context',
  'auth secure tls',
].map((line) => line.split(' '));

/** The flag of a command, with a value if it needs one, that does what others call `name`. */
export function sameFlag(name: string, known: readonly string[]): string | undefined {
  const found = SAME_FLAGS.filter(
    ([own, ...others]) => known.includes(own.replace('=0', '')) && others.includes(name),
  );
  return found[0]?.[0].replace('=', ' ');
}
