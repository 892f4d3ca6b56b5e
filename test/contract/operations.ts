/** A row per operation of `BackendApi`: a good request, its answer, and requests that are refused. */
import type { ErrorCode, JsonObject } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { expect } from 'vitest';
import type { ContractTable } from './table.ts';

/** What rows work on. The index `notes` is built. */
export interface Setting {
  readonly backend: BackendApi;
  readonly table: ContractTable;
}

type Name = Exclude<keyof BackendApi, 'close'>;
type Request<K extends Name> = NonNullable<Parameters<BackendApi[K]>[0]>;
type Answer<K extends Name> =
  ReturnType<BackendApi[K]> extends AsyncIterable<infer T>
    ? readonly T[]
    : Awaited<ReturnType<BackendApi[K]>>;

/** The contract of one operation. */
export interface OperationRow<K extends Name> {
  /** A good request. It may prepare what it needs, again for each test. */
  readonly request: (setting: Setting) => Request<K> | Promise<Request<K>>;
  /** What its answer has at least; the items of an iterable are a list. */
  readonly answers: Partial<Answer<K>> | ((answer: Answer<K>) => void);
  /** Changes of the good request and the code that refuses each. */
  readonly refused: readonly (readonly [change: Readonly<Record<string, unknown>>, ErrorCode])[];
  /** The request names an existing index. */
  readonly index?: 'needed' | 'optional';
  /** The operation has no end of its own: `follow`. */
  readonly endless?: true;
  /** The operation takes no request, or one that may be left out. */
  readonly bare?: true;
}

const INDEX = { index: 'notes' };
const key = (id: string) => ({ identifier: [{ name: 'id', value: id }] });
const BAD_QUERY = [{ query: 'title:(' }, 'invalid_query'] as const;
const BAD_FIELD = [{ query: 'nothing:here' }, 'invalid_query'] as const;
const NO_PIT = [{ pit_id: 'AAAA' }, 'not_found'] as const;
const NO_JOB = [
  [{ job_id: 'none' }, 'not_found'],
  [{ job_id: 5 }, 'invalid_argument'],
] as const;
const BAD_SNAPSHOT = [{ snapshot: '77' }, 'not_found'] as const;

/** Makes an index unless it exists. */
async function defined({ backend, table }: Setting, index: string): Promise<string> {
  const names = (await backend.listIndexes()).map(({ name }) => name);
  if (!names.includes(index)) await backend.createIndex({ definition: table.definition(index) });
  return index;
}

/** A built index with windows. */
async function windowed({ backend, table }: Setting): Promise<string> {
  const names = (await backend.listIndexes()).map(({ name }) => name);
  if (names.includes('windowed')) return 'windowed';
  const storage = JSON.stringify(`${table.backups}-cold`);
  const windows = `windows: { field: at, every: year }\nstorage: ${storage}\n`;
  await backend.createIndex({ definition: table.definition('windowed', windows) });
  await backend.reindex({ index: 'windowed' });
  return 'windowed';
}

/** The id of a job that has ended. */
async function endedJob(setting: Setting): Promise<{ readonly job_id: string }> {
  const index = await defined(setting, 'jobs');
  const { job_id } = await setting.backend.startJob({ kind: 'reindex', index });
  for await (const _ of setting.backend.watchJob({ job_id }));
  return { job_id };
}

/** A place that has a backup of `notes`. */
async function backedUp({ backend, table }: Setting): Promise<{ readonly target: string }> {
  const target = table.backups;
  if (!(await backend.backupStatus({ ...INDEX, target })).present) {
    await backend.backup({ ...INDEX, target });
  }
  return { target };
}

async function savedQuery({ backend }: Setting, name: string): Promise<{ readonly id: string }> {
  const known = (await backend.listSavedQueries()).find((query) => query.name === name);
  const request = { ...INDEX, query: 'disk' };
  return { id: (known ?? (await backend.createSavedQuery({ name, request }))).id };
}

const ended = { kind: 'reindex', index: 'jobs', state: 'done' } as const;
const BAD_TARGETS = [
  [{ target: 'not/absolute' }, 'invalid_argument'],
  [{ target: 'oss://bucket/a' }, 'unsupported'],
  [{ prefix: '../a' }, 'invalid_argument'],
] as const;
const NO_BACKUPS = [...BAD_TARGETS, [{ target: '/nowhere/at/all' }, 'not_found']] as const;
const ERASURE_REFUSED = [
  [{ keys: [] }, 'invalid_argument'],
  [{ keys: [{ identifier: [{ name: 'none', value: 'a' }] }] }, 'invalid_argument'],
  [{ backups: ['not/absolute'] }, 'invalid_argument'],
] as const;
const NO_TABLE = { source: { path: '/nowhere/at/all' } };

/** All operations. One that is added to `BackendApi` does not compile without a row. */
export const OPERATIONS: { readonly [K in Name]: OperationRow<K> } = {
  search: {
    request: () => ({ ...INDEX, query: 'disk', highlight: {}, hydrate: true }),
    answers: ({ hits, total, snapshot }) => {
      expect(total).toBe(2);
      expect(hits.map(({ coordinates }) => coordinates)).toEqual(
        expect.arrayContaining([key('a'), key('b')]),
      );
      expect(hits[0].row).toMatchObject({ org: expect.any(String) });
      expect(snapshot).toMatch(/^\d+$/);
    },
    refused: [BAD_QUERY, BAD_FIELD, NO_PIT, [{ limit: 10_001 }, 'limit_exceeded']],
    index: 'needed',
  },
  semantic: {
    request: () => ({ ...INDEX, vector_field: 'vec', query_vector: [1, 0], k: 2 }),
    answers: ({ hits }) => {
      expect(hits).toHaveLength(2);
      expect(hits[0].coordinates).toEqual(key('a'));
    },
    refused: [[{ query_vector: [1] }, 'invalid_argument'], [{ k: 0 }, 'invalid_argument'], NO_PIT],
    index: 'needed',
  },
  hybrid: {
    request: () => ({ ...INDEX, query_text: 'disk', vector_field: 'vec', query_vector: [1, 0] }),
    answers: ({ hits }) => expect(hits[0]).toMatchObject({ coordinates: key('a') }),
    refused: [[{ rrf_k: -1 }, 'invalid_argument'], NO_PIT],
    index: 'needed',
  },
  aggregate: {
    request: () => ({ ...INDEX, query: '*:*', aggs: { orgs: { terms: { field: 'org' } } } }),
    answers: ({ results }) =>
      expect(results.orgs).toMatchObject({ buckets: [{ key: 'acme', doc_count: 2 }, {}] }),
    refused: [[{ aggs: { x: { terms: { field: 'none' } } } }, 'invalid_argument'], NO_PIT],
    index: 'needed',
  },
  facets: {
    request: () => ({ ...INDEX, fields: ['org'] }),
    answers: ({ facets }) =>
      expect(facets).toMatchObject([{ field: 'org', buckets: [{ value: 'acme', count: 2 }, {}] }]),
    refused: [[{ size: 101 }, 'limit_exceeded'], BAD_QUERY, NO_PIT],
    index: 'needed',
  },
  suggest: {
    request: () => ({ ...INDEX, field: 'title', text: 'di' }),
    answers: ({ suggestions }) =>
      expect(suggestions).toMatchObject([{ text: 'disk', doc_count: 2 }]),
    refused: [
      [{ field: 'none' }, 'invalid_argument'],
      [{ limit: 1001 }, 'limit_exceeded'],
    ],
    index: 'needed',
  },
  explain: {
    request: () => ({ ...INDEX, query: 'disk', coordinates: key('a') }),
    answers: { found: true, matched: true },
    refused: [BAD_QUERY, [{ coordinates: {} }, 'invalid_argument'], NO_PIT],
    index: 'needed',
  },
  getKeys: {
    request: () => ({ ...INDEX, keys: [key('c'), key('zz')] }),
    answers: ({ rows, missing }) => {
      const fields = { title: 'network down', size: '50031545098999707' };
      expect(rows).toMatchObject([{ key: key('c'), fields }]);
      expect(missing).toEqual([{ ...key('zz'), coordinates: key('zz'), id: 'zz' }]);
    },
    refused: [
      [{ columns: ['none'] }, 'invalid_argument'],
      [{ keys: [{}] }, 'invalid_argument'],
    ],
    index: 'needed',
  },
  exportDocuments: {
    request: () => ({ ...INDEX, query: 'disk' }),
    answers: (documents) =>
      expect(documents.map(({ coordinates }) => coordinates)).toEqual([key('a'), key('b')]),
    refused: [BAD_QUERY],
    index: 'needed',
  },
  analyze: {
    request: () => ({ text: 'Disk full', analyzer: 'standard' }),
    answers: ({ tokens }) => expect(tokens.map(({ token }) => token)).toEqual(['disk', 'full']),
    refused: [[{ analyzer: 'none' }, 'invalid_definition']],
  },
  parseQuery: {
    request: () => ({ ...INDEX, query: 'title:disk' }),
    answers: ({ ast }) => expect(JSON.stringify(ast)).toContain('"disk"'),
    refused: [BAD_QUERY, BAD_FIELD, [{ syntax: 'sql' }, 'invalid_argument']],
    index: 'optional',
  },
  printQuery: {
    request: () => ({ ...INDEX, ast: { term: { field: 'org', value: 'acme' } } }),
    answers: { query: 'org:acme' },
    refused: [[{ ast: { zz: 1 } }, 'invalid_query']],
    index: 'optional',
  },
  clauseCounts: {
    request: () => ({ ...INDEX, query: 'disk full' }),
    answers: (counts) => expect(counts).toMatchObject([{ total: 2 }, { total: 1 }]),
    refused: [BAD_QUERY, BAD_FIELD, NO_PIT],
    index: 'needed',
  },
  bench: {
    request: () => ({ ...INDEX, queries: ['disk'], repeat: 1, warm: 0 }),
    answers: ({ queries }) => expect(queries).toMatchObject([{ query: 'disk', total: 2 }]),
    refused: [[{ queries: 'disk' }, 'invalid_argument']],
    index: 'needed',
  },
  describeSource: {
    request: ({ table }) => ({ source: table.source }),
    answers: { table: 'ops.notes', identifier: ['id'] },
    refused: [
      [NO_TABLE, 'source_not_found'],
      [{ source: { path: 'not/absolute' } }, 'invalid_argument'],
    ],
  },
  listTables: {
    request: ({ table }) => ({ catalog: table.source.catalog }),
    answers: { tables: ['ops.notes'] },
    refused: [[{ catalog: { type: 'other' } }, 'invalid_argument']],
  },
  initDefinition: {
    request: ({ table }) => ({ source: table.source, name: 'fresh' }),
    answers: ({ definition }) => expect(definition).toContain('index: fresh'),
    refused: [[NO_TABLE, 'source_not_found']],
  },
  createIndex: {
    request: ({ table }) => ({ definition: table.definition('made') }),
    answers: { index: 'made', status: 'created', num_docs: 0 },
    refused: [
      [{ definition: 'version: 1' }, 'invalid_definition'],
      [{ base_dir: 'not/absolute' }, 'invalid_argument'],
    ],
  },
  listIndexes: {
    request: () => ({}),
    answers: (indexes) =>
      expect(indexes).toContainEqual(expect.objectContaining({ name: 'notes', num_docs: 3 })),
    refused: [],
    bare: true,
  },
  describeIndex: {
    request: () => INDEX,
    answers: { index: 'notes', status: 'live', num_docs: 3 },
    refused: [],
    index: 'needed',
  },
  getDefinition: {
    request: () => INDEX,
    answers: ({ index, definition }) => {
      expect(index).toBe('notes');
      expect(definition).toMatch(/^fields:/m);
    },
    refused: [],
    index: 'needed',
  },
  alterIndex: {
    request: async (setting) => ({
      index: await defined(setting, 'altered'),
      definition_yaml: `${setting.table.definition('altered')}freshness_ms: 5\n`,
      apply: true,
    }),
    answers: { index: 'altered', is_noop: false, applied: true, generation: 0 },
    refused: [
      [{ definition_yaml: 'version: 1' }, 'invalid_definition'],
      [{ base_dir: 'not/absolute' }, 'invalid_argument'],
      [{ apply: 'yes' }, 'invalid_argument'],
    ],
    index: 'needed',
  },
  rollbackIndex: {
    request: async (setting) => {
      const index = await defined(setting, 'rolled');
      for (let built = 0; built < 2; built++) await setting.backend.reindex({ index });
      return { index };
    },
    answers: ({ index, doc_count, index_generation, former_generation }) => {
      expect([index, doc_count]).toEqual(['rolled', 3]);
      expect(index_generation).toBe(former_generation - 1);
    },
    refused: [
      [{ generation: 0 }, 'invalid_argument'],
      [{ generation: 99 }, 'not_found'],
    ],
    index: 'needed',
  },
  planReshard: {
    request: async (setting) => ({ index: await defined(setting, 'planned'), shards: 5 }),
    answers: ({ shards, buckets, applied, docs_moved }) => {
      expect([shards, applied, docs_moved]).toEqual([5, false, null]);
      expect(buckets.reduce((sum, one) => sum + one, 0)).toBe(1024);
    },
    refused: [
      [{ shards: 0 }, 'invalid_argument'],
      [{ shards: 1025 }, 'limit_exceeded'],
    ],
    index: 'needed',
  },
  applyReshard: {
    request: async (setting) => {
      const index = await defined(setting, 'spread');
      const { shards } = await setting.backend.planReshard({ index, shards: 1 });
      return { index, shards };
    },
    answers: ({ index }) => expect(index).toBe('spread'),
    refused: [[{ shards: 'two' }, 'invalid_argument']],
    index: 'needed',
  },
  moveBucket: {
    request: async (setting) => ({
      index: await defined(setting, 'moved'),
      ...{ bucket: 3, shard: 0 },
    }),
    answers: { index: 'moved', moves: [], applied: false },
    refused: [
      [{ bucket: 1024 }, 'limit_exceeded'],
      [{ shard: -1 }, 'invalid_argument'],
    ],
    index: 'needed',
  },
  rehearseAlter: {
    request: ({ table }) => ({
      ...INDEX,
      definition_yaml: table.definition('notes'),
      queries: [{ request: { query: '*:*' } }],
    }),
    answers: { index: 'notes', rows: 3, overlap: 1, ndcg: null },
    refused: [
      [{ definition_yaml: 'version: 1' }, 'invalid_definition'],
      [{ queries: [{ request: { limit: -1 } }] }, 'invalid_argument'],
      [{ sample: 0 }, 'invalid_argument'],
    ],
    index: 'needed',
  },
  dropIndex: {
    request: async (setting) => ({ index: await defined(setting, 'gone') }),
    answers: { index: 'gone', aliases: [], saved_queries: 0, generations: 0, points_in_time: 0 },
    refused: [],
    index: 'needed',
  },
  renameIndex: {
    request: async (setting) => {
      const names = (await setting.backend.listIndexes()).map(({ name }) => name);
      if (names.includes('renamed')) await setting.backend.dropIndex({ index: 'renamed' });
      return { index: await defined(setting, 'unnamed'), name: 'renamed' };
    },
    answers: { index: 'renamed', previous_name: 'unnamed', aliases: [], saved_queries: 0 },
    refused: [
      [{ name: 'notes' }, 'index_exists'],
      [{ name: 'Renamed' }, 'invalid_argument'],
      [{ name: '../renamed' }, 'invalid_argument'],
    ],
    index: 'needed',
  },
  moveIndex: {
    request: async (setting) => ({ index: await defined(setting, 'moved') }),
    answers: { index: 'moved', storage: null },
    refused: [[{ storage: '' }, 'invalid_definition']],
    index: 'needed',
  },
  cloneIndex: {
    request: async ({ backend }) => {
      const names = (await backend.listIndexes()).map(({ name }) => name);
      if (names.includes('cloned')) await backend.dropIndex({ index: 'cloned' });
      return { ...INDEX, name: 'cloned' };
    },
    answers: { index: 'cloned', cloned_from: 'notes', num_docs: 3 },
    refused: [
      [{ name: 'notes' }, 'index_exists'],
      [{ name: '../cloned' }, 'invalid_argument'],
    ],
    index: 'needed',
  },
  validateDefinition: {
    request: ({ table }) => ({ definition: table.definition('x'), against_source: true }),
    answers: (issues) => expect(issues).toEqual([]),
    refused: [[{ against_source: 1 }, 'invalid_argument']],
  },
  reindex: {
    request: async (setting) => ({ index: await defined(setting, 'built') }),
    answers: ({ doc_count, index_generation }) => {
      expect([doc_count, index_generation]).toEqual([3, 1]);
    },
    refused: [[{ as_of: '77' }, 'not_found']],
    index: 'needed',
  },
  sync: {
    request: () => INDEX,
    answers: { doc_count: 3, snapshots_applied: 0 },
    refused: [[{ until: '77' }, 'not_found']],
    index: 'needed',
  },
  follow: {
    request: () => INDEX,
    answers: (events) => expect(events).toMatchObject([{ event: 'waiting' }]),
    refused: [[{ poll_ms: 1 }, 'invalid_argument']],
    index: 'needed',
    endless: true,
  },
  applyBatch: {
    request: async ({ backend }) => {
      const { table_uuid, applied, columns, key_columns, index_generation, ...state } =
        await backend.getCheckpoint(INDEX);
      return { ...INDEX, batch: { version: 1, table_uuid, from: null, to: state, parts: [] } };
    },
    // The index has reached that snapshot: it is acknowledged.
    answers: { applied: false, doc_count: 3 },
    refused: [
      [{ batch: { version: 2 } }, 'invalid_argument'],
      [{ batch: {} }, 'invalid_argument'],
    ],
    index: 'needed',
  },
  getCheckpoint: {
    request: () => INDEX,
    answers: { columns: ['id', 'title', 'org', 'size', 'vec', 'at'], key_columns: 1 },
    refused: [],
    index: 'needed',
  },
  status: {
    request: () => INDEX,
    answers: { index: 'notes', status: 'live', num_docs: 3 },
    refused: [],
    index: 'needed',
  },
  verify: {
    request: () => INDEX,
    answers: { equal: true, rows_compared: 3, missing: 0, extra: 0, stale: 0 },
    refused: [
      BAD_SNAPSHOT,
      [{ sample: 1, repair: true }, 'invalid_argument'],
      [{ deep: true, repair: true }, 'invalid_argument'],
    ],
    index: 'needed',
  },
  compact: {
    request: () => INDEX,
    answers: { segments_after: 1 },
    refused: [[{ segments: 0 }, 'invalid_argument']],
    index: 'needed',
  },
  windowStatus: {
    request: async (setting) => ({ index: await windowed(setting) }),
    answers: ({ field, every, windows }) => {
      expect({ field, every }).toEqual({ field: 'at', every: 'year' });
      expect(windows.map(({ window, num_docs }) => [window, num_docs])).toEqual([
        ['1970', 1],
        ['none', 2],
      ]);
    },
    refused: [[INDEX, 'not_found']],
    index: 'needed',
  },
  moveWindows: {
    request: async (setting) => ({ index: await windowed(setting), cool: ['1970'] }),
    answers: { cooled: ['1970'], warmed: [] },
    refused: [
      [{ cool: ['1971'] }, 'not_found'],
      [{ warm: ['1970'] }, 'invalid_argument'],
      [{ apply: 'yes' }, 'invalid_argument'],
    ],
    index: 'needed',
  },
  reindexWindow: {
    request: async (setting) => ({ index: await windowed(setting), window: '1970' }),
    answers: { window: '1970', doc_count: 1 },
    refused: [
      [{ window: '1971' }, 'not_found'],
      [{ window: 5 }, 'invalid_argument'],
    ],
    index: 'needed',
  },
  upgrade: {
    request: () => INDEX,
    answers: { format_before: 3, format_after: 3, segments_upgraded: 0, bytes_rewritten: 0 },
    refused: [[{ plan: 1 }, 'invalid_argument']],
    index: 'needed',
  },
  startJob: {
    request: async (setting) => ({ kind: 'reindex', index: await defined(setting, 'started') }),
    answers: { kind: 'reindex', index: 'started', state: 'pending', shards: [] },
    refused: [
      [{ kind: 'other' }, 'invalid_argument'],
      [{ kind: 'compact', as_of: '1' }, 'invalid_argument'],
      [{ kind: 'move_windows', cool: '1970' }, 'invalid_argument'],
      [{ kind: 'reindex_window' }, 'invalid_argument'],
      [{ kind: 'erase', keys: [] }, 'invalid_argument'],
      [{ kind: 'alter', definition_yaml: 'version: 1' }, 'invalid_argument'],
    ],
    index: 'needed',
  },
  getJob: { request: endedJob, answers: ended, refused: NO_JOB },
  listJobs: {
    request: async (setting) => {
      await endedJob(setting);
      return { index: 'jobs', state: 'done', limit: 1 };
    },
    answers: (jobs) => expect(jobs).toMatchObject([ended]),
    refused: [
      [{ state: 'other' }, 'invalid_argument'],
      [{ limit: 1001 }, 'limit_exceeded'],
    ],
    index: 'needed',
    bare: true,
  },
  cancelJob: { request: endedJob, answers: ended, refused: NO_JOB },
  watchJob: {
    request: endedJob,
    answers: (records) => expect(records).toMatchObject([ended]),
    refused: NO_JOB,
  },
  backup: {
    request: ({ table }) => ({ ...INDEX, target: table.backups, prefix: 'own', verify: true }),
    answers: ({ index, backup, prefix, snapshot, num_docs, file_count, bytes, verified }) => {
      expect([index, prefix, num_docs, verified]).toEqual(['notes', 'own', 3, true]);
      expect([backup, snapshot]).toEqual([expect.any(String), expect.stringMatching(/^\d+$/)]);
      expect([file_count > 5, bytes > 1000]).toEqual([true, true]);
    },
    refused: BAD_TARGETS,
    index: 'needed',
  },
  backupStatus: {
    request: async (setting) => ({ ...INDEX, ...(await backedUp(setting)) }),
    answers: { configured: true, present: true, snapshot: expect.any(String) as string },
    refused: BAD_TARGETS,
    index: 'needed',
  },
  listBackups: {
    request: backedUp,
    answers: (backups) => expect(backups).toMatchObject([{ index: 'notes', num_docs: 3 }]),
    refused: NO_BACKUPS,
  },
  pruneBackups: {
    request: async (setting) => ({ ...(await backedUp(setting)), keep: 1 }),
    answers: { backups_kept: 1, backups_removed: [], deferred: false },
    refused: [...NO_BACKUPS, [{ keep: 0 }, 'invalid_argument']],
  },
  restore: {
    request: async (setting) => {
      const names = (await setting.backend.listIndexes()).map(({ name }) => name);
      if (names.includes('restored')) await setting.backend.dropIndex({ index: 'restored' });
      return { ...(await backedUp(setting)), as: 'restored', aliases: 'none' };
    },
    answers: { index: 'restored', num_docs: 3 },
    refused: [
      ...NO_BACKUPS,
      [{ as: 'notes' }, 'index_exists'],
      [{ backup: 'none' }, 'not_found'],
      [{ index: 'none' }, 'not_found'],
      [{ aliases: 'some' }, 'invalid_argument'],
    ],
  },
  diffHits: {
    request: () => ({ ...INDEX, query: 'disk', from: 'now' }),
    answers: { index: 'notes', same: 2, hits: [], notes: [] },
    refused: [
      BAD_QUERY,
      [{ from: '77' }, 'not_found'],
      [{ to: 'generation:99' }, 'not_found'],
      [{ from: 'pit:none' }, 'not_found'],
      [{ limit: 1001 }, 'limit_exceeded'],
    ],
    index: 'needed',
  },
  checkErasure: {
    request: () => ({ ...INDEX, keys: [key('gone')] }),
    answers: { index: 'notes', keys: 1, clean: true, in_table: [], remains: [] },
    refused: ERASURE_REFUSED,
    index: 'needed',
  },
  runErasure: {
    request: () => ({ ...INDEX, keys: [key('gone')] }),
    answers: ({ report, receipt }) => {
      expect(report).toMatchObject({ index: 'notes', clean: true });
      expect(receipt).toMatchObject({ format: 'lhs-erasure-receipt', statement: { clean: true } });
    },
    refused: [...ERASURE_REFUSED, [{ keys: [key('a')] }, 'already_exists']],
    index: 'needed',
  },
  erasureKey: {
    request: () => ({}),
    answers: ({ key_id, public_key }) => {
      expect(key_id).toMatch(/^[0-9a-f]{16}$/);
      expect(public_key).toMatch(/^-----BEGIN PUBLIC KEY-----/);
    },
    refused: [],
  },
  verifyReceipt: {
    request: async ({ backend }) => {
      const { receipt } = await backend.runErasure({ ...INDEX, keys: [key('gone')] });
      return { receipt: receipt as unknown as JsonObject, keys: [key('gone'), key('a')] };
    },
    answers: { valid: true, covered: [true, false] },
    refused: [
      [{ receipt: 'text' }, 'invalid_argument'],
      [{ public_key: 'none' }, 'invalid_argument'],
    ],
  },
  openPit: {
    request: () => ({ ...INDEX, keep_alive: '30s' }),
    answers: ({ pit_id, expires_at }) => {
      expect(pit_id).toEqual(expect.any(String));
      expect(expires_at).toMatch(/Z$/);
    },
    refused: [
      [{ keep_alive: 'soon' }, 'invalid_argument'],
      [{ keep_alive: '2h' }, 'limit_exceeded'],
    ],
    index: 'needed',
  },
  closePit: {
    request: async ({ backend }) => {
      const { pit_id } = await backend.openPit(INDEX);
      return { ...INDEX, pit_id };
    },
    answers: { closed: true },
    refused: [NO_PIT],
    index: 'needed',
  },
  listAliases: {
    request: async ({ backend }) => {
      await backend.setAlias({ alias: 'other', index: 'notes' });
      return {};
    },
    answers: (aliases) => expect(aliases).toContainEqual({ alias: 'other', index: 'notes' }),
    refused: [],
    bare: true,
  },
  setAlias: {
    request: () => ({ alias: 'second', index: 'notes' }),
    answers: { alias: 'second', index: 'notes' },
    refused: [[{ alias: 'notes' }, 'index_exists']],
    index: 'needed',
  },
  dropAlias: {
    request: async ({ backend }) => {
      await backend.setAlias({ alias: 'third', index: 'notes' });
      return { alias: 'third' };
    },
    answers: (nothing) => expect(nothing).toBeUndefined(),
    refused: [[{ alias: 'none' }, 'not_found']],
  },
  listSavedQueries: {
    request: async (setting) => {
      await savedQuery(setting, 'listed');
      return {};
    },
    answers: (queries) =>
      expect(queries).toContainEqual(expect.objectContaining({ name: 'listed' })),
    refused: [],
    bare: true,
  },
  createSavedQuery: {
    request: () => ({ name: 'created', request: { ...INDEX, query: 'disk' } }),
    answers: { name: 'created' },
    refused: [
      [{ request: { ...INDEX, query: 'title:(' } }, 'invalid_query'],
      [{ mode: 'semantic', request: { ...INDEX, query_text: 'disk' } }, 'invalid_argument'],
    ],
  },
  replaceSavedQuery: {
    request: async (setting) => {
      const { id } = await savedQuery(setting, 'replaced');
      return { id, name: 'replaced', mode: 'lexical', request: { ...INDEX, query: 'full' } };
    },
    answers: ({ request }) => expect(request).toMatchObject({ query: 'full' }),
    refused: [[{ id: 'none', name: 'free' }, 'not_found']],
  },
  deleteSavedQuery: {
    request: (setting) => savedQuery(setting, 'deleted'),
    answers: (nothing) => expect(nothing).toBeUndefined(),
    refused: [[{ id: 'none' }, 'not_found']],
  },
};
