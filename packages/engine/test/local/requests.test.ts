// @module-tag campaign
/**
 * The door of the engine: whatever a caller sends, each operation answers with an `LhsError` that
 * names the field, or does its work; it never throws anything else, and a refused request changes
 * nothing on disk.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FieldPlan, fieldsOf, METHODS } from '@lakehouse-search/client/internal';
import { ACCOUNT_OPERATIONS, CLUSTER_OPERATIONS } from '@lakehouse-search/contract/internal';
import { LhsError } from '@lakehouse-search/engine';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant } from '../../../../test/support/as-tenant.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const CASES = Number(process.env.LHS_REQUEST_CASES ?? byEffort(800, 2000));
const SEED = Number(process.env.LHS_SEED ?? 20_261_122);

const schema = schemaOf({ id: 'string', title: 'string', org: 'string' });
const FIELDS = `tenant_field: org
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: org, type: KEYWORD, fast: true }`;

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  const rows = [
    { id: 'a', title: 'disk full', org: 'acme' },
    { id: 'b', title: 'disk quiet', org: 'rival' },
  ];
  await lake.create(schema, { rows });
  await lake.build(FIELDS);
  await lake.backend.setAlias({ alias: 'other', index: 't' });
  await lake.backend.createSavedQuery({ name: 'mine', request: { index: 't', query: 'disk' } });
});
afterAll(() => lake.close());

type Kind =
  | 'text'
  | 'flag'
  | 'whole'
  | 'number'
  | 'list'
  | 'object'
  | 'text or object'
  | 'definition';
interface Operation {
  /** Fields of a request, each with what it has to be. */
  readonly fields: Readonly<Record<string, Kind>>;
  readonly required: readonly string[];
  /** Fields that make the rest of a request complete. */
  readonly with: object;
}

const KINDS: Readonly<Record<FieldPlan['kind'], Kind>> = {
  ...{ string: 'text', bool: 'flag', int64: 'whole', double: 'number', json: 'object' },
  ...{ text_json: 'text or object', message: 'object', map: 'object' },
};
/** What the embedded engine requires besides: a service finds the table by its name. */
const LOCAL: Readonly<Partial<Record<string, Partial<Operation>>>> = {
  describeSource: { required: ['source'], with: { source: { path: '/nowhere/at/all' } } },
  initDefinition: { required: ['source'], with: { source: { path: '/nowhere/at/all' } } },
  listTables: { required: ['catalog'], with: {} },
};

const OF_SERVICES = { ...ACCOUNT_OPERATIONS, ...CLUSTER_OPERATIONS };

/** The operations of a backend whose requests have fields, as the contract of the wire has them. */
const OPERATIONS: Readonly<Record<string, Operation>> = Object.fromEntries(
  Object.values(METHODS).flatMap(({ operation, input, route }) => {
    const plans = fieldsOf(input);
    const isList = route.verb === 'GET' && route.list !== undefined;
    if (operation in OF_SERVICES || isList || plans.length === 0) return [];
    // values of any type travel as the JSON of their list
    const kind = ({ name, ...plan }: FieldPlan): Kind => {
      if (plan.repeated || name === 'search_after') return 'list';
      return /^definition(_yaml)?$/.test(name) ? 'definition' : KINDS[plan.kind];
    };
    const fields = Object.fromEntries(plans.map((plan) => [plan.name, kind(plan)]));
    const required = plans.filter((plan) => plan.required).map(({ name }) => name);
    return [[operation, { fields, required, with: route.example, ...LOCAL[operation] }]];
  }),
);

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;
/** Values of every type that is not the name's own. */
const VALUES: readonly (readonly [Kind | 'none', unknown])[] = [
  ['none', null],
  ['none', Symbol('s')],
  ['none', 7n],
  ['none', () => 5],
  ['none', new Map([['index', 't']])],
  ['none', new Date(0)],
  ['none', Number.NaN],
  ['none', -1],
  ['text', 'zz'],
  ['flag', true],
  ['number', 1.5],
  ['list', []],
  ['list', [5, null, {}]],
  ['object', {}],
  ['object', { zz: 1 }],
  ['object', cyclic],
];
const fits = (kind: Kind, of: Kind | 'none', value: unknown): boolean => {
  if (kind === 'text or object') return of === 'text' || of === 'object';
  if (kind === 'definition') return of === 'text' || (of === 'object' && value !== cyclic);
  if (kind === 'number') return of === 'number' || value === -1;
  return kind === of && !(Array.isArray(value) && value.length > 0);
};

/** Runs an operation to its end; an iterable is read through. */
async function run(operation: string, request: unknown, of: object = lake.backend) {
  const method = (of as unknown as Record<string, (request: unknown) => unknown>)[operation]!;
  const answer = method.call(of, request);
  const iterable = typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
  return iterable ? Array.fromAsync(answer as AsyncIterable<unknown>) : answer;
}

/**
 * The refusal of a request. Fails where it is accepted, and where anything but an LhsError comes.
 */
async function refusal(operation: string, request: unknown, of?: object): Promise<LhsError> {
  try {
    await run(operation, request, of);
  } catch (error) {
    if (error instanceof LhsError) return error;
    throw error;
  }
  throw new Error(`${operation} accepts it`);
}

/** What lies on disk and in the registry. */
async function everything(): Promise<unknown> {
  const { backend, folder } = lake;
  const below = join(folder, 'data', 'indexes');
  const files = readdirSync(below, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]);
  const kept = [await backend.listIndexes(), await backend.listAliases()];
  return [files, ...kept, await backend.listSavedQueries()];
}

const REFUSED = ['invalid_argument', 'limit_exceeded', 'invalid_query'];

describe.each(Object.entries(OPERATIONS))(
  'requests of %s',
  (operation, { fields, required, with: rest }) => {
    it('takes an object of its own fields alone, and changes nothing otherwise', async () => {
      const before = await everything();
      for (const request of [null, undefined, 5, 'x', [], true, new Map(), () => ({})]) {
        const { code, message } = await refusal(operation, request);
        expect([code, message]).toEqual([
          'invalid_argument',
          expect.stringMatching(/^the request is .*: expected an object$/s),
        ]);
      }
      for (const field of ['zz', '__proto__x', 'constructor']) {
        const { code, message, hint } = await refusal(operation, { ...rest, [field]: 1 });
        expect(code).toBe('invalid_argument');
        expect(message).toContain(`unknown request field "${field}"`);
        expect(hint).toContain(Object.keys(fields)[0]);
      }
      const [name] = Object.keys(fields);
      const { message } = await refusal(operation, { ...rest, [`${name}x`]: 1 });
      expect(message).toContain(`did you mean "${name}"?`);
      expect(await everything()).toEqual(before);
    });

    it('names a field of the wrong type', async () => {
      const before = await everything();
      for (const [field, kind] of Object.entries(fields)) {
        for (const [of, value] of VALUES) {
          if (fits(kind, of, value)) continue;
          const error = await refusal(operation, { ...rest, [field]: value });
          expect(REFUSED, `${field}: ${error.message}`).toContain(error.code);
          expect(error.message).toContain(`"${field}`);
        }
      }
      expect(await everything()).toEqual(before);
    });

    it.runIf(required.length > 0)('names a field that is missing', async () => {
      for (const field of required) {
        for (const request of [{}, { [field]: undefined }]) {
          const error = await refusal(operation, request);
          expect(error.code).toBe('invalid_argument');
          const missing = required.some((name) => error.message.startsWith(`"${name}" is missing`));
          expect(missing, error.message).toBe(true);
        }
      }
    });
  },
);

describe('requests of reads', () => {
  const READS: readonly string[] = [
    ...['describeIndex', 'getCheckpoint', 'status', 'search', 'semantic', 'hybrid', 'aggregate'],
    ...['facets', 'clauseCounts', 'suggest', 'explain', 'getKeys', 'analyze', 'parseQuery'],
    ...['printQuery', 'validateDefinition', 'exportDocuments', 'bench', 'closePit'],
  ];
  const hostile = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
    withTypedArray: true,
    withUnicodeString: true,
  });
  const words = fc.constantFrom('disk', 'title', 'org', 't', 'lexical', 'or', '', '__proto__');
  const tree = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.dictionary(
        fc.constantFrom('term', 'bool', 'knn', 'range', 'terms', 'boost', 'match'),
        fc.oneof(
          hostile,
          fc.dictionary(
            fc.constantFrom('field', 'value', 'values', 'must', 'query', 'gte', 'filter', 'factor'),
            fc.oneof(hostile, words, fc.array(tie('tree'), { maxLength: 2 }), tie('tree')),
          ),
        ),
        { maxKeys: 1 },
      ),
    ),
  })).tree;
  const KINDS = ['terms', 'stats', 'range', 'date_histogram', 'percentiles', 'filter', 'missing'];
  const options = fc.dictionary(
    fc.constantFrom('field', 'size', 'ranges', 'percents', 'fixed_interval', 'order', 'missing'),
    fc.oneof(hostile, words, fc.nat(20), fc.array(hostile)),
  );
  const one = fc.dictionary(fc.constantFrom(...KINDS), fc.oneof(options, tree), { maxKeys: 1 });
  const aggs = fc.dictionary(
    fc.constantFrom('a', '__proto__'),
    fc.tuple(one, one).map(([own, inner]) => ({ ...own, aggs: { b: inner } })),
  );
  const value = fc.oneof(hostile, words, fc.nat(20), tree, aggs, fc.array(words), fc.boolean());

  it(`throw errors with a code only, whatever their fields are (${CASES} requests)`, async () => {
    const request = fc.constantFrom(...READS).chain((operation) => {
      const { fields, with: rest } = OPERATIONS[operation];
      const given = fc.dictionary(fc.constantFrom(...Object.keys(fields)), value, { maxKeys: 4 });
      return given.map((own) => [operation, { ...rest, ...own }] as const);
    });
    const before = await everything();
    await fc.assert(
      fc.asyncProperty(request, async ([operation, asked]) => {
        try {
          await run(operation, asked);
        } catch (error) {
          if (!(error instanceof LhsError) || error.code === 'internal') throw error;
        }
      }),
      { seed: SEED, numRuns: CASES },
    );
    expect(await everything()).toEqual(before);
  });
});

describe('options of long work', () => {
  const long = [
    ...(['reindex', 'sync', 'verify', 'compact', 'upgrade', 'follow', 'applyBatch'] as const),
    ...(['backup', 'restore', 'reindexWindow', 'moveWindows'] as const),
  ];

  it.each(long)('are checked by %s as a request is', async (operation) => {
    const request = operation === 'applyBatch' ? await emptyBatch() : { index: 't' };
    const { backend } = lake;
    const method = backend[operation].bind(backend) as (a: unknown, b: unknown) => unknown;
    const before = await everything();
    for (const options of [null, 5, { zz: 1 }, { signal: 5 }, { signal: {} }]) {
      const of = { call: () => method(request, options) };
      expect((await refusal('call', request, of)).code).toBe('invalid_argument');
    }
    expect(await everything()).toEqual(before);
  });
});

describe('what a tenant may ask', () => {
  it('is checked at its door as well', async () => {
    const door = asTenant(lake.backend, 'acme');
    const asked = Object.entries(OPERATIONS).filter(([operation]) => operation in door);
    expect(asked.length).toBeGreaterThan(8);
    for (const [operation, { with: rest = {} }] of asked) {
      for (const request of [null, undefined, 5, { ...rest, index: 5 }, { ...rest, zz: 1 }]) {
        expect((await refusal(operation, request, door)).code).toBe('invalid_argument');
      }
    }
  });
});

/** A batch that moves the index on and changes nothing else. */
async function emptyBatch() {
  const { table_uuid, applied, columns, key_columns, index_generation, ...state } =
    await lake.backend.getCheckpoint({ index: 't' });
  const to = { ...state, snapshot_id: '7' };
  return {
    index: 't',
    batch: { version: 1, table_uuid, from: state.snapshot_id, to, parts: [] as unknown[] },
  };
}

describe('a change batch', () => {
  const path = 'x.parquet';
  const positions = [0, 1];
  const utf8 = { kind: 'utf8', values: ['a', 'b'] };
  const rows = { kind: 'rows', columns: [utf8, utf8, utf8], file: path, positions };
  const column = (more: object) => ({ ...rows, columns: [utf8, { ...utf8, ...more }, utf8] });

  it.each<[string, unknown]>([
    ['batch.parts[0]', null],
    ['batch.parts[0].kind', { kind: 'zz' }],
    ['batch.parts[0].kind', {}],
    ['batch.parts[0].path', { kind: 'removed', positions: null }],
    ['batch.parts[0].positions', { kind: 'removed', path }],
    ['batch.parts[0].positions', { kind: 'removed', path, positions: Int32Array.of(1) }],
    ['batch.parts[0].positions', { kind: 'removed', path, positions: [2, 1] }],
    ['batch.parts[0].positions', { kind: 'removed', path, positions: [-1] }],
    ['batch.parts[0].positions', { kind: 'removed', path, positions: [0.5] }],
    ['"zz"', { kind: 'removed', path, positions: null, zz: 1 }],
    ['batch.parts[0].file', { kind: 'rows', columns: [], positions }],
    ['batch.parts[0].columns', { kind: 'rows', file: path, positions }],
    ['batch.parts[0].columns[0].values.length', { ...rows, positions: [0, 1, 2] }],
    ['batch.parts[0].columns[1].kind', column({ kind: 'utf9' })],
    ['batch.parts[0].columns[1].values', column({ values: 'ab' })],
    ['batch.parts[0].columns[1].values[1]', column({ values: ['a', 5] })],
    ['batch.parts[0].columns[1].values[1].base64', column({ values: ['a', { base64: 'a' }] })],
    ['batch.parts[0].columns[1].values[0]', column({ kind: 'int32', values: [2 ** 31, 0] })],
    ['batch.parts[0].columns[1].values[0]', column({ kind: 'int64', values: ['1e3', 0] })],
    ['batch.parts[0].columns[1].values[1]', column({ kind: 'float64', values: [0.5, '1'] })],
    ['batch.parts[0].columns[1].values[0]', column({ kind: 'bool', values: [1, true] })],
    ['batch.parts[0].columns[1].values[1]', column({ kind: 'values', values: [null, { zz: 1 }] })],
    [
      'batch.parts[0].columns[1].values[0].int',
      column({ kind: 'values', values: [{ int: 1 }, 1] }),
    ],
  ])('is refused for %s, and the checkpoint stays (%#)', async (name, part) => {
    const { backend } = lake;
    const before = [await everything(), await backend.getCheckpoint({ index: 't' })];
    const request = await emptyBatch();
    // A good part first: what it did is taken back.
    const good = { kind: 'removed', path: 'none.parquet', positions: null };
    for (const parts of [[part], [good, part]]) {
      const error = await refusal('applyBatch', { ...request, batch: { ...request.batch, parts } });
      expect(error.code).toBe('invalid_argument');
      expect(error.message).toContain(parts.length === 1 ? name : name.replace('[0]', '[1]'));
    }
    expect((await backend.getCheckpoint({ index: 't' })).snapshot_id).not.toBe('7');
    expect([await everything(), await backend.getCheckpoint({ index: 't' })]).toEqual(before);
    expect((await backend.search({ index: 't', query: 'disk' })).total).toBe(2);
  });

  it.each<[string, object]>([
    ['batch.version', { version: 2 }],
    ['batch.version', { version: undefined }],
    ['batch.table_uuid', { table_uuid: 5 }],
    ['batch.from', { from: 'head' }],
    ['batch.to', { to: null }],
    ['batch.to.files', { to: { snapshot_id: '7', sequence: '1', schema: {} } }],
    [
      'batch.to.files[0].records',
      {
        to: {
          snapshot_id: '7',
          sequence: '1',
          schema: {},
          files: [{ path: 'x', records: '1', sequence: '1', deletes: [] }],
        },
      },
    ],
    ['batch.parts', { parts: 5 }],
    ['batch.with_dropped', { with_dropped: 1 }],
    ['"zz"', { zz: 1 }],
  ])('is refused for %s before the index is locked (%#)', async (name, change) => {
    const request = await emptyBatch();
    const error = await refusal('applyBatch', {
      ...request,
      batch: { ...request.batch, ...change },
    });
    expect(error.code).toBe('invalid_argument');
    expect(error.message).toContain(name);
  });
});
