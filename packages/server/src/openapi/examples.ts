import type { Operation } from '@lakehouse-search/contract';

const INDEX = { index: 'tickets' };
const JOB = { job_id: '0198f2d4-7c1e-7b3a-9f57-3d8f4b8f1c2a' };
const ID = { id: '0198f2d4-8a10-7d62-8a31-6a2b7c9d0e1f' };
const SOURCE = { catalog: { type: 'filesystem', warehouse: '/lake' }, table: 'ops.tickets' };
const DEFINITION = `version: 1
index: tickets
source: { catalog: { type: filesystem, warehouse: /lake }, table: ops.tickets }
fields:
  - { name: title, type: TEXT, cached: true }
`;
const KEY = { identifier: [{ name: 'id', value: '7' }] };
const STATE = { snapshot_id: '42', sequence: '7', schema: {}, files: [] };

/** A request of each operation, as the description of the interface shows it. */
export const REQUEST_EXAMPLES: Readonly<Record<Operation, object>> = Object.freeze({
  search: { ...INDEX, query: 'status:open timeout', limit: 10, highlight: {} },
  semantic: { ...INDEX, query_text: 'cannot sign in', k: 10 },
  hybrid: { ...INDEX, query_text: 'payment timeout', k: 10, rrf_k: 60 },
  aggregate: { ...INDEX, query: '*:*', aggs: { by_status: { terms: { field: 'status' } } } },
  facets: { ...INDEX, query: 'timeout', fields: ['status'], size: 10 },
  suggest: { ...INDEX, field: 'title', text: 'pay', limit: 5 },
  diffHits: { ...INDEX, query: 'timeout', from: '5029384756100371', to: 'now' },
  explain: { ...INDEX, query: 'timeout', coordinates: KEY },
  clauseCounts: { ...INDEX, query: 'payment timeout' },
  openPit: { ...INDEX, keep_alive: '5m' },
  closePit: { ...INDEX, pit_id: 'p-1' },
  analyze: { ...INDEX, field: 'title', text: 'Payment timeouts' },
  parseQuery: { ...INDEX, query: 'status:open timeout' },
  printQuery: { ...INDEX, ast: { term: { field: 'status', value: 'open' } } },
  bench: { ...INDEX, queries: ['timeout'], repeat: 3 },
  getKeys: { ...INDEX, keys: [KEY], columns: ['title'] },
  exportDocuments: INDEX,
  createIndex: { definition: DEFINITION },
  listIndexes: {},
  getRouting: INDEX,
  describeIndex: INDEX,
  alterIndex: { ...INDEX, definition_yaml: DEFINITION, apply: false },
  planReshard: { ...INDEX, shards: 3 },
  applyReshard: { ...INDEX, shards: 3 },
  moveBucket: { ...INDEX, bucket: 17, shard: 1 },
  rehearseAlter: { ...INDEX, definition_yaml: DEFINITION, sample: 1000 },
  dropIndex: INDEX,
  renameIndex: { ...INDEX, name: 'support-tickets' },
  rollbackIndex: INDEX,
  validateDefinition: { definition: DEFINITION },
  describeSource: { source: SOURCE },
  listTables: { catalog: SOURCE.catalog },
  initDefinition: { source: SOURCE, name: 'tickets' },
  reindex: INDEX,
  startJob: { ...INDEX, kind: 'reindex' },
  getJob: JOB,
  listJobs: { ...INDEX, limit: 10 },
  cancelJob: JOB,
  watchJob: JOB,
  activity: { ...INDEX, limit: 10 },
  listAliases: {},
  setAlias: { alias: 'current', ...INDEX },
  dropAlias: { alias: 'current' },
  listSavedQueries: {},
  createSavedQuery: { name: 'open timeouts', request: { ...INDEX, query: 'timeout' } },
  replaceSavedQuery: { ...ID, name: 'timeouts', request: { ...INDEX, query: 'timeout' } },
  deleteSavedQuery: ID,
  sync: INDEX,
  follow: { ...INDEX, poll_ms: 1000 },
  status: INDEX,
  listIngestion: {},
  verify: { ...INDEX, sample: 1000 },
  compact: INDEX,
  upgrade: { ...INDEX, plan: true },
  backup: { ...INDEX, prefix: 'nightly' },
  backupStatus: INDEX,
  listBackups: INDEX,
  pruneBackups: { ...INDEX, keep: 7 },
  restore: { ...INDEX, as: 'restored' },
  windowStatus: INDEX,
  reindexWindow: { ...INDEX, window: '2026-11' },
  moveWindows: { ...INDEX, cool: ['2026-01'], warm: [] },
  checkErasure: { ...INDEX, keys: [KEY] },
  runErasure: { ...INDEX, keys: [KEY] },
  erasureKey: {},
  verifyReceipt: { receipt: {} },
  applyBatch: {
    ...INDEX,
    batch: { version: 1, table_uuid: 'uuid', from: '41', to: STATE, parts: [] },
  },
  getCheckpoint: INDEX,
  license: {},
  consoleConfig: {},
  login: { username: 'ann', password: 'secret' },
  listUsers: {},
  setRoles: { subject: 'ann', roles: ['reader'] },
  listRoles: {},
  listTokens: {},
  createToken: { name: 'dashboard', roles: ['reader'], indexes: ['tickets'] },
  revokeToken: ID,
});
