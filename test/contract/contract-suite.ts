import { type CallContext, type FollowRequest, LhsError } from '@lakehouse-search/contract';
import {
  type BackendApi,
  type OperationRow as ContractRow,
  OPERATIONS as OPERATION_TABLE,
} from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationRow, type Setting } from './operations.ts';
import { overJson } from './over-json.ts';
import { type ContractTable, createContractTable } from './table.ts';

type Name = keyof typeof OPERATIONS;
type AnyRow = OperationRow<Name>;
type Request = Readonly<Record<string, unknown>>;

const SCOPES = ['search', 'index_read', 'ops', 'admin'] as const;
const PAST = 1000;

/** Calls an operation. An iterable is read to its end; one without an end, to its first item. */
async function run(
  backend: BackendApi,
  name: string,
  request: unknown,
  call: CallContext = {},
): Promise<unknown> {
  const method = Reflect.get(backend, name) as (request: unknown, call: CallContext) => unknown;
  const answer = method(request, call);
  if (typeof answer !== 'object' || answer === null || !(Symbol.asyncIterator in answer)) {
    return answer;
  }
  const items: unknown[] = [];
  for await (const item of answer as AsyncIterable<unknown>) {
    items.push(item);
    if ((OPERATIONS[name as Name] as AnyRow).endless) break;
  }
  return items;
}

/** The error of a call. Fails where the call succeeds, or throws something else. */
async function refusal(...call: Parameters<typeof run>): Promise<LhsError> {
  const [, name] = call;
  try {
    await run(...call);
  } catch (error) {
    if (error instanceof LhsError) return error;
    throw error;
  }
  throw new Error(`${name} accepts it`);
}

/**
 * What a backend promises, whatever is behind it. Requests and responses pass through JSON. The
 * suite imports nothing of the engine, so that it runs on a remote client and a gateway as well.
 * `createBackend` opens a backend without indexes that reaches the files of this machine; the suite
 * closes it. `except`: operations that the backend refuses.
 */
export function contractSuite(
  name: string,
  createBackend: () => Promise<BackendApi>,
  except: readonly Name[] = [],
): void {
  const rows = Object.entries(OPERATIONS).filter(
    ([operation]) => !except.includes(operation as Name),
  );
  describe(`the contract of ${name}`, () => {
    let table: ContractTable;
    let setting: Setting;
    beforeAll(async () => {
      table = await createContractTable();
      const backend = overJson(await createBackend());
      setting = { backend, table };
      await backend.createIndex({ definition: table.definition('notes') });
      await backend.reindex({ index: 'notes' });
    });
    afterAll(async () => {
      await setting.backend.close();
      table.remove();
    });

    describe.each(rows as [Name, AnyRow][])('%s', (operation, row) => {
      operationTests(operation, row, () => setting);
    });

    sharedTests(() => setting);
  });
}

function operationTests(operation: Name, row: AnyRow, setting: () => Setting): void {
  const { tenants }: ContractRow = OPERATION_TABLE[operation];
  const good = async () => (await row.request(setting())) as Request;
  const refused = async (request: unknown, call?: CallContext) =>
    (await refusal(setting().backend, operation, request, call)).code;

  it('answers a good request, and the answer survives JSON', async () => {
    const answer = await run(setting().backend, operation, await good());
    if (typeof row.answers === 'function') (row.answers as (answer: unknown) => void)(answer);
    else expect(answer).toMatchObject(row.answers as object);
  });

  it('refuses an unknown field by its name, and what is no object', async () => {
    const request = await good();
    const { code, message } = await refusal(setting().backend, operation, { ...request, zz: 1 });
    expect([code, message]).toEqual(['invalid_argument', expect.stringContaining('"zz"')]);
    for (const other of [5, 'x', [], true, null]) {
      expect(await refused(other)).toBe('invalid_argument');
    }
  });

  it('names a field of the wrong type', async () => {
    const request = await good();
    for (const field of Object.keys(request)) {
      const error = await refusal(setting().backend, operation, { ...request, [field]: [[]] });
      const codes = ['invalid_argument', 'limit_exceeded'];
      expect(codes, `${field}: ${error.message}`).toContain(error.code);
      expect(error.message).toContain(`"${field}`);
    }
  });

  it.runIf(row.refused.length > 0)('refuses what cannot be done with its code', async () => {
    const request = await good();
    for (const [change, code] of row.refused) {
      expect([change, await refused({ ...request, ...change })]).toEqual([change, code]);
    }
  });

  it.runIf(row.index)(
    'names an index that does not exist, or that the caller may not use',
    async () => {
      const request = await good();
      expect(await refused({ ...request, index: 'none' })).toBe('index_not_found');
      const principal = { subject: 'u', indexes: ['another'], scopes: SCOPES };
      expect(await refused(request, { principal })).toBe('permission_denied');
    },
  );

  it(tenants ? 'is open to callers of a tenant' : 'is closed to callers of a tenant', async () => {
    const request = await good();
    const call = { principal: { subject: 'u', tenant: 'acme', scopes: SCOPES } };
    if (OF_OTHERS.has(operation)) expect(await refused(request, call)).toBe('not_found');
    else if (tenants) await run(setting().backend, operation, request, call);
    else expect(await refused(request, call)).toBe('permission_denied');
  });

  it.runIf(!row.endless)('does nothing once the call is aborted or late', async () => {
    const request = await good();
    expect(await refused(request, { signal: AbortSignal.abort() })).toBe('interrupted');
    expect(await refused(request, { deadline: PAST })).toBe('deadline_exceeded');
  });

  it.runIf(row.endless)('ends without an error once the call is aborted', async () => {
    const request = await good();
    const stop = new AbortController();
    const method = Reflect.get(setting().backend, operation) as BackendApi['follow'];
    const events: string[] = [];
    for await (const { event } of method(request as FollowRequest, { signal: stop.signal })) {
      events.push(event);
      stop.abort();
    }
    expect(events).toEqual(['waiting']);
  });

  it('refuses a context of a call that is not one', async () => {
    const request = await good();
    for (const call of [5, { zz: 1 }, { deadline: 'now' }, { principal: { subject: 'u' } }]) {
      expect(await refused(request, call as CallContext)).toBe('invalid_argument');
    }
  });

  it.runIf(row.bare)('needs no request', async () => {
    expect(await run(setting().backend, operation, undefined)).toEqual(expect.any(Array));
  });
}

/** Saved queries belong to the caller: another caller's is as unknown as one that never was. */
const OF_OTHERS: ReadonlySet<string> = new Set(['replaceSavedQuery', 'deleteSavedQuery']);

function sharedTests(setting: () => Setting): void {
  const index = 'notes';
  const asTenant = (tenant: string): CallContext => {
    return { principal: { subject: `user of ${tenant}`, tenant, scopes: ['search'] } };
  };

  describe('the callers of a tenant', () => {
    it('find, count and read only rows of the tenant', async () => {
      const { backend } = setting();
      const call = asTenant('acme');
      const { hits, total } = await backend.search({ index, query: 'disk' }, call);
      expect([total, hits[0].coordinates.identifier[0].value]).toEqual([1, 'a']);
      const { facets } = await backend.facets({ index, fields: ['org'] }, call);
      expect(facets).toMatchObject([{ buckets: [{ value: 'acme', count: 2 }] }]);
      expect((await backend.describeIndex({ index }, call)).num_docs).toBe(2);
      const coordinates = { identifier: [{ name: 'id', value: 'b' }] };
      expect((await backend.getKeys({ index, keys: [coordinates] }, call)).rows).toEqual([]);
      expect(await backend.explain({ index, query: 'disk', coordinates }, call)).toMatchObject({
        found: false,
      });
      const documents = await Array.fromAsync(backend.exportDocuments({ index }, call));
      expect(documents).toHaveLength(2);
    });
  });

  describe('saved queries', () => {
    it('belong to their caller', async () => {
      const { backend } = setting();
      const call = { principal: { subject: 'ann', scopes: SCOPES } };
      const request = { index, query: 'disk' };
      const { id } = await backend.createSavedQuery({ name: 'anns', request }, call);
      expect(await backend.listSavedQueries({}, call)).toMatchObject([{ id, name: 'anns' }]);
      const names = (await backend.listSavedQueries()).map((query) => query.name);
      expect(names).not.toContain('anns');
      expect((await refusal(backend, 'deleteSavedQuery', { id })).code).toBe('not_found');
    });

    it('are of every mode, each caller has own ones', async () => {
      const { backend } = setting();
      const callers = ['cleo', 'dave'].map((subject) => ({
        principal: { subject, scopes: SCOPES },
      }));
      const near = { vector_field: 'vec', query_vector: [1, 0] };
      const drafts = [
        { name: 'words', mode: 'lexical', request: { index, query: 'disk' } },
        { name: 'meaning', mode: 'semantic', request: { index, ...near } },
        { name: 'both', mode: 'hybrid', request: { index, query_text: 'disk', ...near } },
      ] as const;
      for (const call of callers) {
        for (const draft of drafts) await backend.createSavedQuery(draft, call);
      }
      const [cleo, dave] = callers;
      const [both] = await backend.listSavedQueries({}, cleo);
      const replaced = { ...drafts[0], name: 'both', id: both.id };
      await backend.replaceSavedQuery(replaced, cleo);
      const modes = async (call: typeof cleo) =>
        (await backend.listSavedQueries({}, call)).map(({ name, mode }) => [
          name,
          mode ?? 'lexical',
        ]);
      expect(await modes(dave)).toEqual([
        ['both', 'hybrid'],
        ['meaning', 'semantic'],
        ['words', 'lexical'],
      ]);
      expect((await modes(cleo))[0]).toEqual(['both', 'lexical']);
    });
  });

  describe('a point in time', () => {
    it('shows one commit until it is closed', async () => {
      const { backend, table } = setting();
      const { pit_id } = await backend.openPit({ index });
      await table.append('late');
      expect(await backend.sync({ index })).toMatchObject({ inserted: 1 });
      const { total } = await backend.search({ index, query: '*:*', pit_id });
      expect([total, (await backend.search({ index, query: '*:*' })).total]).toEqual([3, 4]);
      expect(await backend.closePit({ index, pit_id })).toEqual({ closed: true });
      expect(await backend.closePit({ index, pit_id })).toEqual({ closed: false });
      expect((await refusal(backend, 'search', { index, pit_id })).code).toBe('not_found');
    });
  });

  describe('a search that demands a snapshot', () => {
    it('is refused when the index does not reach it in time', async () => {
      const request = { index, query: '*:*', min_snapshot: '1234567890123', wait_ms: 1 };
      expect((await refusal(setting().backend, 'search', request)).code).toBe(
        'snapshot_not_reached',
      );
    });

    it('ends when its call is aborted or late, although it may wait longer', async () => {
      const { backend } = setting();
      const request = { index, query: '*:*', min_snapshot: '1234567890123', wait_ms: 600_000 };
      const call = { deadline: Date.now() + 50 };
      expect((await refusal(backend, 'search', request, call)).code).toBe('deadline_exceeded');
      const stop = new AbortController();
      const waiting = refusal(backend, 'search', request, { signal: stop.signal });
      stop.abort();
      expect((await waiting).code).toBe('interrupted');
    });
  });
}
