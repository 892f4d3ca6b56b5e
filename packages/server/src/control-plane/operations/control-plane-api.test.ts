import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallContext } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RepeatedFaults } from '../../observe/repeated-faults.ts';
import { openStore, type Store } from '../../store/open-store.ts';
import { NodePool } from '../cluster-context.ts';
import { type ControlPlaneApis, controlPlaneApis } from './control-plane-api.ts';

const logger = pino({ level: 'silent' });
const QUIET = { logger, repeated: new RepeatedFaults(logger) };
const folder = mkdtempSync(join(tmpdir(), 'lhs-plane-'));
let store: Store;
let apis: ControlPlaneApis;
/** The same, where another process does something before each transaction. */
let racing: ControlPlaneApis;
let meanwhile: () => Promise<unknown> = async () => {};

/** An engine that refuses callers of a tenant, as the embedded one does. */
const scratch = {
  describeIndex: async (request: object, { principal }: CallContext = {}) => ({
    ...request,
    tenant: principal?.tenant,
  }),
  createIndex: async () => ({ index: 'notes' }),
  dropIndex: async () => ({}),
} as unknown as BackendApi;

const definitionOf = (index: string, more: string) => `version: 1
index: ${index}
source: { catalog: { type: filesystem, warehouse: /none }, table: ops.notes }
${more}fields: [{ name: org, type: KEYWORD }]
`;

beforeAll(async () => {
  store = await openStore({ file: join(folder, 'server.db') });
  const nodes = new NodePool(() => {
    throw new Error('there is no node');
  });
  const context = { store, nodes, ...QUIET };
  apis = controlPlaneApis(context, async () => scratch);
  const change: Store['change'] = async (lease, work) => {
    await meanwhile();
    return store.change(lease, work);
  };
  racing = controlPlaneApis({ ...context, store: { ...store, change } }, async () => scratch);
  await store.definitions.add('notes', definitionOf('notes', 'tenant_field: org\n'));
  await store.definitions.add('whole', definitionOf('whole', ''));
  await store.aliases.set({ alias: 'all', index: 'whole' });
  await store.jobs.add('job', { index: 'notes', kind: 'reindex', request: {}, epoch: 1 });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const ACME: CallContext = {
  principal: { subject: 'ann', scopes: ['search', 'index_read', 'ops', 'admin'], tenant: 'acme' },
};
const index = 'notes';
const definition = definitionOf('other', '');
/** What concerns all rows of an index, or all indexes. */
const WHOLE: Partial<Record<keyof BackendApi, object>> = {
  createIndex: { definition },
  listIndexes: {},
  dropIndex: { index },
  status: { index },
  alterIndex: { index, definition_yaml: definition },
  reindex: { index },
  startJob: { index, kind: 'reindex' },
  getJob: { job_id: 'job' },
  listJobs: {},
  cancelJob: { job_id: 'job' },
  watchJob: { job_id: 'job' },
  planReshard: { index, shards: 2 },
  applyReshard: { index, shards: 2 },
  moveBucket: { index, bucket: 1, shard: 0 },
  listAliases: {},
  setAlias: { alias: 'a', index },
  dropAlias: { alias: 'all' },
  compact: { index },
  upgrade: { index },
  reindexWindow: { index, window: '2024-01' },
  moveWindows: { index, cool: ['2024-01'] },
};

/** The answer of an operation, or the first item of a stream. */
async function answerOf(api: object, name: string, request: object, call: CallContext) {
  const answer = (api as Readonly<Record<string, (...of: object[]) => unknown>>)[name](
    request,
    call,
  );
  const isStream = typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
  if (!isStream) return answer;
  return (answer as AsyncIterable<unknown>)[Symbol.asyncIterator]().next();
}

describe('a control plane, to the callers of a tenant,', () => {
  it.each(Object.entries(WHOLE))('is closed: %s', async (name, request) => {
    const refused = answerOf(apis.backend, name, request, ACME);
    await expect(refused).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it.each([
    ['listIngestion', {}],
    ['activity', { index }],
    ['getRouting', { index: 'whole' }],
  ])('is closed: %s %o', async (name, request) => {
    const refused = answerOf(apis.cluster, name, request, ACME);
    await expect(refused).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('describes an index as the engine does for them', async () => {
    const described = { index, tenant: 'acme', synced_by: 'control_plane' };
    expect(await apis.backend.describeIndex({ index }, ACME)).toEqual(described);
  });

  it('shows the routing of an index that tells tenants apart', async () => {
    expect(await apis.cluster.getRouting({ index }, ACME)).toMatchObject({ name: index });
  });
});

describe('a control plane', () => {
  it('has changed nothing for them', async () => {
    expect(await apis.backend.listAliases({})).toEqual([{ alias: 'all', index: 'whole' }]);
    expect(await apis.backend.getJob({ job_id: 'job' })).not.toHaveProperty('canceling');
    expect(await apis.backend.listIndexes({})).toHaveLength(2);
  });

  it('lets no caller take an alias of an index that is not among its indexes', async () => {
    const principal = { ...ACME.principal!, tenant: undefined, indexes: ['notes'] };
    const taken = apis.backend.setAlias({ alias: 'all', index }, { principal } as CallContext);
    await expect(taken).rejects.toMatchObject({ code: 'permission_denied' });
    expect(await apis.backend.listAliases({})).toEqual([{ alias: 'all', index: 'whole' }]);
  });

  it('makes no index of the name that an alias got meanwhile', async () => {
    meanwhile = () => store.aliases.set({ alias: 'other', index: 'whole' });
    const created = racing.backend.createIndex({ definition });
    await expect(created).rejects.toMatchObject({ code: 'index_exists' });
    expect(await store.definitions.get('other')).toBeUndefined();
    expect(await store.aliases.remove('other')).toBe(true);
  });

  it('drops no alias that got an index meanwhile which its caller may not use', async () => {
    const principal = { ...ACME.principal!, tenant: undefined, indexes: ['notes'] };
    await store.aliases.set({ alias: 'moved', index: 'notes' });
    meanwhile = () => store.aliases.set({ alias: 'moved', index: 'whole' });
    const dropped = racing.backend.dropAlias({ alias: 'moved' }, { principal } as CallContext);
    await expect(dropped).rejects.toMatchObject({ code: 'not_found' });
    expect(await store.aliases.remove('moved')).toBe(true);
  });

  it('lists jobs by an alias of their index', async () => {
    await store.jobs.add('other', { index: 'whole', kind: 'compact', request: {}, epoch: 1 });
    const jobs = await apis.backend.listJobs({ index: 'all' });
    expect(jobs.map(({ job_id }) => job_id)).toEqual(['other']);
    const unknown = apis.backend.listJobs({ index: 'none' });
    await expect(unknown).rejects.toMatchObject({ code: 'index_not_found' });
  });

  it('keeps the names of indexes', async () => {
    const renamed = { index: 'whole', definition_yaml: definition, apply: true };
    const { backend } = apis;
    for (const change of [
      backend.alterIndex(renamed),
      backend.startJob({ kind: 'alter', ...renamed }),
    ]) {
      await expect(change).rejects.toMatchObject({ code: 'unsupported' });
    }
    expect(await store.jobs.list({ running: true })).not.toContainEqual(
      expect.objectContaining({ kind: 'alter' }),
    );
  });

  it('knows the routing of an index by its alias', async () => {
    expect(await apis.cluster.getRouting({ index: 'all' })).toMatchObject({ name: 'whole' });
  });
});

describe('the list of indexes of a control plane', () => {
  it('counts rows as nodes have them now, not as of their last heartbeats', async () => {
    const stateOf = (docs: number) => {
      const sizes = [{ shard: 0, docs, bytes: docs }];
      const commit = { commit: 'c', sequence: '1', docs, bytes: docs, sizes };
      const index = { index: 'whole', uuid: 'u', commits: [commit] };
      return { node: 'n1', indexes: [index], followed: [] };
    };
    const nodes = new NodePool(
      () => ({ state: async () => stateOf(900) }) as unknown as ReturnType<NodePool['at']>,
    );
    const node = {
      node: 'n1',
      address: 'n1:9001',
      instance: 'i',
      state: JSON.stringify(stateOf(0)),
    };
    await store.nodes.register(node, 0, 60_000);
    const context = { store, nodes, ...QUIET };
    const { backend } = controlPlaneApis(context, async () => scratch);
    expect(await backend.listIndexes({})).toContainEqual(
      expect.objectContaining({ name: 'whole', num_docs: 900, bytes: 900 }),
    );
  });

  it('does not wait for a node that is stopped, and no status does', async () => {
    const never = () => new Promise<never>(() => {});
    const stopped = { state: never, service: () => ({ status: never }) };
    const nodes = new NodePool(() => stopped as unknown as ReturnType<NodePool['at']>, 30);
    const context = { store, nodes, ...QUIET };
    const created = { ...scratch, status: async () => ({ index: 'whole', num_docs: 0 }) };
    const { backend } = controlPlaneApis(context, async () => created as unknown as BackendApi);
    expect(await backend.listIndexes({})).toHaveLength(2);
    expect(await backend.status({ index: 'whole' })).toMatchObject({ num_docs: 0 });
  });
});
