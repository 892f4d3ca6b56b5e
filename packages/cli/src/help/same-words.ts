/** Words with which other tools name what the command of the first word does. */
const SAME_WORDS = [
  'list ls ll dir indexes indices',
  'delete drop rm remove del destroy',
  'drop delete rm remove del unset',
  'search find query grep select match q count',
  'describe info show inspect schema stats desc view fields mapping',
  'aggregate agg aggs group sum avg histogram metrics',
  'facets facet values terms top',
  'import load ingest insert add upload put push copy',
  'reindex rebuild build',
  'sync update refresh pull watch tail follow',
  'create new make define',
  'set create add new save',
  'rows head cat sample scan peek',
  'export dump download',
  'alter edit modify change migrate',
  'rename mv move',
  'explain why profile',
  'doctor health ping check diagnose',
  'tui shell repl ui interactive',
  'all server start run up web dashboard console',
  'view settings env configure',
  'get fetch lookup read',
  'cancel kill stop abort',
  'help man docs usage commands',
  'compact optimize vacuum merge forcemerge',
  'semantic vector knn nearest similar ask',
  'suggest complete spell',
  'tables catalog namespaces ls list',
].map((line) => line.split(' '));

/** The words of commands that do what other tools name with this word. */
export function sameWords(word: string): readonly string[] {
  return SAME_WORDS.flatMap(([own, ...others]) => (others.includes(word) ? [own] : []));
}
