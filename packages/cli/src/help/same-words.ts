/**
 * Words with which other tools name what the first word does: the last word of commands, or a whole
 * command with `:` between its words.
 */
const SAME_WORDS = [
  'list ls ll dir indexes indices collections get-contexts',
  'delete drop rm remove del destroy',
  'drop delete rm remove del unset clear truncate',
  'search find query grep rg ag select match q where filter',
  'search:--limit=0 count total',
  'describe info show inspect schema stats desc view fields mapping mappings segments \\d',
  'aggregate agg aggs group sum avg histogram metrics',
  'facets facet values terms top',
  'import load ingest insert add upload put push copy bulk create',
  'reindex rebuild build',
  'sync update refresh pull watch tail follow flush',
  'create new make define',
  'set create add new save',
  'rows head cat sample scan peek browse random',
  'export dump download unload',
  'alter edit modify change migrate',
  'rename mv move',
  'clone copy cp duplicate',
  'explain why profile',
  'validate lint',
  'rollback undo revert checkout reset',
  'snapshots snapshot log history commits',
  'doctor health ping check diagnose test',
  'demo example examples tutorial quickstart getting-started',
  'tui shell repl ui interactive',
  'all server start restart run up web dashboard console daemon',
  'view settings env configure get list',
  'use use-context switch',
  'config install add setup',
  'completion autocomplete',
  'get lookup read fetch doc _doc',
  'cancel kill stop abort',
  'help man docs usage commands ?',
  'compact optimize vacuum merge forcemerge gc clean purge',
  'semantic vector knn nearest similar ask',
  'suggest complete spell',
  'tables catalog namespaces databases ls list show',
  'help:upgrade uninstall install self-update',
  'help:security user users role roles token tokens auth permissions whoami',
  'help:serve cluster node nodes shard shards logs stop',
  'help:rest api http curl post',
  'help:from-duckdb sql duckdb sqlite sqlite3 pragma attach select',
  'help:from-elasticsearch elasticsearch opensearch kibana quickwit',
  'jobs:list ps processes tasks',
  'help:source branch branches',
  'help:agents agent chat claude cursor',
].map((line) => line.split(' '));

/** The commands that do what other tools name with this word, as in `SAME_WORDS`. */
export function sameWords(word: string): readonly string[] {
  return SAME_WORDS.flatMap(([own, ...others]) => (others.includes(word) ? [own] : []));
}
