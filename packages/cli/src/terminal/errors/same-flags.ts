/** A flag or argument of ours, and the names of other tools for it. */
const SAME_FLAGS = [
  'rest-addr port host bind listen address http-port p',
  'addr port host bind listen address grpc-port',
  'url server host endpoint u',
  'limit=0 count c',
  'limit n k size top max max-results max-hits first num head rows tail',
  'size n limit top count max',
  'offset from skip start page p',
  'filter where fq',
  'query where q filter',
  'sort order order-by sort-by orderby s desc asc reverse',
  'fields select return source show',
  'columns select return fields',
  'facet group-by groupby by terms',
  'field facet group-by by column on',
  'terms facet field fields group-by groupby by',
  'output out outfile save-to',
  'format=csv csv',
  'format=ndjson jsonl jsonlines json-lines ndjson',
  'format output-format as f',
  'yes force f y no-confirm assume-yes',
  'debug verbose v trace',
  'data-dir data db dir path home root store',
  'detach background async daemon d',
  'follow watch tail f',
  'mode=semantic semantic vector knn',
  'mode=hybrid hybrid',
  'mode type',
  'syntax lang language',
  'operator default-operator op',
  'hydrate full rows with-rows',
  'highlight hl snippet snippets snippet-fields',
  'plan dry-run dryrun',
  'config c conf',
  'warehouse lake root dir',
  'snapshot version as-of at',
  'as-of snapshot version at',
  'profile env context',
  'auth secure tls',
  'table t',
  'json j pretty jq',
  'file f input input-path index-config config',
].map((line) => line.split(' '));

/** The flag or argument of a command, with a value if it needs one, that others call `name`. */
export function sameFlag(name: string, known: readonly string[]): string | undefined {
  const found = SAME_FLAGS.find(
    ([own, ...others]) => known.includes(own.split('=')[0]) && others.includes(name),
  );
  return found?.[0].replace('=', ' ');
}
