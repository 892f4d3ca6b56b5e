import type { Operation } from '@lakehouse-search/contract';

/** A method of REST. Fields of `{braces}` are in the path; those of GET and DELETE in the query. */
export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Where an operation is in REST and in gRPC. */
export interface Route {
  readonly verb: Verb;
  readonly path: string;
  /** Service and method in the package lhs.v1. */
  readonly rpc: `${string}/${string}`;
  /** The operation returns an array; in gRPC it is this field of the response. */
  readonly list?: string;
  /** `responses`: NDJSON in REST. `requests`: gRPC takes the request in parts. */
  readonly stream?: 'responses' | 'requests';
  /** The operation returns nothing: `{}` in REST. */
  readonly empty?: true;
  /** A second call of the same request changes nothing that the first one did not. */
  readonly idempotent?: true;
  /** Status of a success, if not 200. */
  readonly status?: number;
  /** Fields that REST fills in. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Other paths of the operation, as `VERB path`. */
  readonly also?: readonly `${Verb} ${string}`[];
}

type Marks = Omit<Route, 'verb' | 'path' | 'rpc'>;
const READ: Marks = { idempotent: true };

/** `route('POST /v1/search', 'Search/Search', READ)`. */
function route(http: `${Verb} ${string}`, rpc: Route['rpc'], marks: Marks = {}): Route {
  const [verb, path] = http.split(' ') as [Verb, string];
  return Object.freeze({ verb, path, rpc, ...marks });
}

/** The routes of all operations. REST, gRPC, OpenAPI and both clients read them. */
export const ROUTES: Readonly<Record<Operation, Route>> = Object.freeze({
  search: route('POST /v1/search', 'Search/Search', READ),
  semantic: route('POST /v1/search:semantic', 'Search/Semantic', READ),
  hybrid: route('POST /v1/search:hybrid', 'Search/Hybrid', READ),
  aggregate: route('POST /v1/aggregate', 'Search/Aggregate', READ),
  facets: route('POST /v1/facets', 'Search/Facets', READ),
  suggest: route('POST /v1/suggest', 'Search/Suggest', READ),
  explain: route('POST /v1/explain', 'Search/Explain', READ),
  clauseCounts: route('POST /v1/search:clauses', 'Search/CountClauses', {
    ...READ,
    list: 'clauses',
  }),
  diffHits: route('POST /v1/index:diff', 'Search/DiffHits', READ),
  openPit: route('POST /v1/pit:open', 'Search/OpenPit'),
  closePit: route('POST /v1/pit:close', 'Search/ClosePit', READ),
  analyze: route('POST /v1/index:analyze', 'Search/Analyze', READ),
  parseQuery: route('POST /v1/query:parse', 'Search/ParseQuery', READ),
  printQuery: route('POST /v1/query:print', 'Search/PrintQuery', READ),
  bench: route('POST /v1/index:bench', 'Search/Bench'),

  getKeys: route('POST /v1/keys:get', 'Lookup/GetByKey', READ),
  exportDocuments: route('POST /v1/index:export', 'Lookup/Export', {
    ...READ,
    stream: 'responses',
  }),

  createIndex: route('POST /v1/indexes', 'Admin/CreateIndex'),
  listIndexes: route('GET /v1/indexes', 'Admin/ListIndexes', { ...READ, list: 'indexes' }),
  getRouting: route('GET /v1/indexes/{index}', 'Admin/GetIndex', READ),
  describeIndex: route('POST /v1/index:describe', 'Admin/DescribeIndex', READ),
  alterIndex: route('POST /v1/index:alter', 'Admin/AlterIndex'),
  rollbackIndex: route('POST /v1/index:rollback', 'Admin/RollbackIndex'),
  planReshard: route('POST /v1/index:plan-reshard', 'ControlPlane/PlanReshard', READ),
  applyReshard: route('POST /v1/index:reshard', 'ControlPlane/ApplyReshard'),
  moveBucket: route('POST /v1/index:move-bucket', 'ControlPlane/MoveBucket'),
  rehearseAlter: route('POST /v1/index:rehearse', 'Admin/RehearseAlter', READ),
  dropIndex: route('DELETE /v1/indexes/{index}', 'Admin/DropIndex'),
  renameIndex: route('POST /v1/index:rename', 'Admin/RenameIndex'),
  validateDefinition: route('POST /v1/definition:validate', 'Admin/ValidateDefinition', {
    ...READ,
    list: 'issues',
  }),
  describeSource: route('POST /v1/source:describe', 'Admin/DescribeSource', READ),
  listTables: route('POST /v1/source:tables', 'Admin/ListTables', READ),
  initDefinition: route('POST /v1/source:init', 'Admin/InitDefinition', READ),
  reindex: route('POST /v1/index:reindex', 'Admin/ReindexIndex'),
  startJob: route('POST /v1/jobs', 'Admin/StartJob', {
    status: 202,
    defaults: { kind: 'reindex' },
  }),
  getJob: route('GET /v1/jobs/{job_id}', 'Admin/GetJob', READ),
  listJobs: route('GET /v1/jobs', 'Admin/ListJobs', { ...READ, list: 'jobs' }),
  cancelJob: route('DELETE /v1/jobs/{job_id}', 'Admin/CancelJob', READ),
  watchJob: route('GET /v1/jobs/{job_id}/watch', 'Admin/WatchJob', {
    ...READ,
    stream: 'responses',
  }),
  activity: route('POST /v1/index:activity', 'Admin/ListActivity', { ...READ, list: 'activity' }),
  listAliases: route('GET /v1/aliases', 'Admin/ListAliases', { ...READ, list: 'aliases' }),
  setAlias: route('POST /v1/aliases', 'Admin/SetAlias', READ),
  dropAlias: route('DELETE /v1/aliases/{alias}', 'Admin/DropAlias', { empty: true }),
  listSavedQueries: route('GET /v1/saved-queries', 'Admin/ListSavedQueries', {
    ...READ,
    list: 'saved_queries',
  }),
  createSavedQuery: route('POST /v1/saved-queries', 'Admin/CreateSavedQuery'),
  replaceSavedQuery: route('PUT /v1/saved-queries/{id}', 'Admin/ReplaceSavedQuery', READ),
  deleteSavedQuery: route('DELETE /v1/saved-queries/{id}', 'Admin/DeleteSavedQuery', {
    empty: true,
  }),

  sync: route('POST /v1/index:sync', 'Admin/SyncIndex'),
  follow: route('POST /v1/index:follow', 'Admin/Follow', { stream: 'responses' }),
  status: route('POST /v1/index:status', 'Admin/IngestionStatus', {
    ...READ,
    also: ['GET /v1/ingestion/{index}'],
  }),
  listIngestion: route('GET /v1/ingestion', 'Admin/ListIngestion', { ...READ, list: 'indexes' }),
  verify: route('POST /v1/index:verify', 'Admin/VerifyIndex'),
  compact: route('POST /v1/index:compact', 'Admin/CompactIndex'),
  upgrade: route('POST /v1/index:upgrade', 'Admin/UpgradeIndex'),
  windowStatus: route('GET /v1/cold', 'Admin/WindowStatus', READ),
  reindexWindow: route('POST /v1/window:reindex', 'Admin/ReindexWindow'),
  moveWindows: route('POST /v1/window:move', 'Admin/MoveWindows'),
  backup: route('POST /v1/index:backup', 'Admin/Backup'),
  backupStatus: route('POST /v1/index:backup-status', 'Admin/GetBackupStatus', READ),
  listBackups: route('POST /v1/backups:list', 'Admin/ListBackups', { ...READ, list: 'backups' }),
  pruneBackups: route('POST /v1/backups:prune', 'Admin/PruneBackups'),
  restore: route('POST /v1/backups:restore', 'Admin/Restore'),

  checkErasure: route('POST /v1/erasure:check', 'Admin/CheckErasure', READ),
  runErasure: route('POST /v1/erasure:run', 'Admin/RunErasure'),
  erasureKey: route('GET /v1/erasure/key', 'Admin/GetErasureKey', READ),
  verifyReceipt: route('POST /v1/erasure:verify', 'Admin/VerifyReceipt', READ),

  applyBatch: route('POST /v1/index:apply', 'Write/ApplyBatch', { ...READ, stream: 'requests' }),
  getCheckpoint: route('POST /v1/index:checkpoint', 'Write/GetCheckpoint', READ),

  license: route('GET /v1/license', 'System/GetLicense', READ),
  consoleConfig: route('GET /v1/config', 'System/GetConfig', READ),

  login: route('POST /v1/login', 'Accounts/Login'),
  listUsers: route('GET /v1/users', 'Accounts/ListUsers', { ...READ, list: 'users' }),
  setRoles: route('PUT /v1/users/{subject}/roles', 'Accounts/SetRoles', READ),
  listRoles: route('GET /v1/roles', 'Accounts/ListRoles', { ...READ, list: 'roles' }),
  listTokens: route('GET /v1/tokens', 'Accounts/ListTokens', { ...READ, list: 'tokens' }),
  createToken: route('POST /v1/tokens', 'Accounts/CreateToken'),
  revokeToken: route('DELETE /v1/tokens/{id}', 'Accounts/RevokeToken', { empty: true }),
});
