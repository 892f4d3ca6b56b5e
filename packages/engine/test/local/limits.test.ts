/**
 * Limits on everything but what a search asks for (query/query-limits.test.ts) and variants
 * (documents/variants-huge.test.ts): at the edge it is taken, one past it refused by its number.
 */

import { LhsError } from '@lakehouse-search/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { LIMITS } from '../../src/base/limits.ts';

const SCHEMA = schemaOf({ id: 'long', t: 'string', k: 'string' });
const FIELDS = `fields:
  - { name: t, type: TEXT, analyzer: whitespace }
  - { name: k, type: KEYWORD, max_bytes: ${LIMITS.keywordBytes} }`;
const rows = [
  { id: 1, t: `${'w'.repeat(LIMITS.termBytes)} here`, k: 'v'.repeat(LIMITS.keywordBytes) },
  { id: 2, t: `${'w'.repeat(LIMITS.termBytes + 1)} here`, k: 'v'.repeat(LIMITS.keywordBytes + 1) },
];

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, { rows });
  await lake.build(FIELDS);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => lake.close());

async function refusal(work: () => unknown): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof LhsError) return `${error.code}: ${error.message}`;
    throw error;
  }
}
const number = (text: string | null) => text?.replaceAll(/[,_ ](?=\d{3})/g, '');

const key = (id: number) => ({ identifier: [{ name: 'id', value: String(id) }] });
const wide = (n: number) => ({
  identifier: Array.from({ length: n }, (_, i) => ({ name: `c${i}`, value: 'x' })),
});
const definition = (more: string): string => `version: 1
index: edge
source: { path: ./t }
${more}`;
const manyFields = (n: number) => {
  const lines = Array.from({ length: n }, (_, i) => `  - { name: f${i}, type: LONG }`);
  return definition(`fields:\n${lines.join('\n')}\n`);
};
const sized = (bytes: number) => {
  const text = `${manyFields(1)}#`;
  return text + 'x'.repeat(bytes - Buffer.byteLength(text));
};
/** A list in lists: the definition itself, `fields` and the field lie above it. */
const nested = (levels: number) =>
  definition(
    `fields:\n  - { name: f, type: ${'['.repeat(levels - 2)}${']'.repeat(levels - 2)} }\n`,
  );
const entries = (count: number) => `k: [${'1,'.repeat(count)}]`;
async function faults(text: string): Promise<void> {
  const issues = await lake.backend.validateDefinition({ definition: text });
  const limit = issues.find(({ message }) => /at most/.test(message));
  if (limit !== undefined) throw new LhsError('limit_exceeded', limit.message);
}
async function firstEvent(poll_ms: number): Promise<void> {
  const stop = new AbortController();
  for await (const _ of lake.backend.follow({ poll_ms }, { signal: stop.signal })) {
    stop.abort();
    break;
  }
}

const EDGES: readonly [keyof typeof LIMITS, (n: number) => unknown][] = [
  [
    'keysPerGet',
    (n) => lake.backend.getKeys({ keys: Array.from({ length: n }, (_, i) => key(i)) }),
  ],
  ['suggestions', (n) => lake.backend.suggest({ field: 't', text: 'h', limit: n })],
  ['definitionFields', (n) => faults(manyFields(n))],
  ['definitionBytes', (n) => faults(sized(n))],
  ['definitionDepth', (n) => faults(nested(n))],
  ['definitionEntries', (n) => faults(entries(n))],
  ['pollMillis', (n) => firstEvent(n)],
  [
    'automatonStates',
    (n) => lake.backend.search({ ast: { regex: { field: 't', value: chain(n) } } }),
  ],
];

/** A pattern that takes n states to build: a chain of letters, and twelve for its groups. */
function chain(states: number): string {
  const letters = states - 13;
  return `(a{1000}){${Math.floor(letters / 1000)}}a{${letters % 1000}}`;
}

describe('limits', () => {
  test.each(EDGES)('%s', async (name, ask) => {
    const most = LIMITS[name];
    expect(await refusal(() => ask(most))).toBeNull();
    const refused = await refusal(() => ask(most + 1));
    expect(refused).toMatch(/^(limit_exceeded|invalid_query|invalid_argument): /);
    expect(number(refused)).toContain(String(most));
  });

  test('keyColumns: columns of a key', async () => {
    const ask = (n: number) => () => lake.backend.getKeys({ keys: [wide(n)] });
    expect(await refusal(ask(LIMITS.keyColumns))).not.toContain(String(LIMITS.keyColumns));
    expect(await refusal(ask(LIMITS.keyColumns + 1))).toContain(String(LIMITS.keyColumns));
  });

  test('pollLeastMillis: the pause between two looks at the table', async () => {
    expect(await refusal(() => firstEvent(LIMITS.pollLeastMillis))).toBeNull();
    expect(await refusal(() => firstEvent(LIMITS.pollLeastMillis - 1))).toContain(
      'from 10 to 3600000',
    );
  });

  test('queryMillis: a search and a count report that time ran out', async () => {
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += LIMITS.queryMillis / 3));
    const query = '/w.*/ /h.*/ /he.*/ NOT /x+/';
    const refused = await refusal(() => lake.backend.search({ query }));
    expect(refused).toBe(
      `limit_exceeded: the query took longer than ${LIMITS.queryMillis} ms (queryMillis)`,
    );
  });

  test('termBytes, keywordBytes: longer words leave a gap, longer values are skipped', async () => {
    const ids = async (ast: object) => {
      const { hits } = await lake.backend.search({ ast: ast as never });
      return hits.map((hit) => hit.coordinates.identifier[0]!.value);
    };
    const word = (n: number) => ({ term: { field: 't', value: 'w'.repeat(n) } });
    expect(await ids(word(LIMITS.termBytes))).toEqual(['1']);
    expect(await ids(word(LIMITS.termBytes + 1))).toEqual([]);
    expect((await ids({ term: { field: 't', value: 'here' } })).sort()).toEqual(['1', '2']);
    const value = (n: number) => ({ term: { field: 'k', value: 'v'.repeat(n) } });
    expect(await ids(value(LIMITS.keywordBytes))).toEqual(['1']);
    expect(await ids({ exists: { field: 'k' } })).toEqual(['1']);
    expect(await ids(value(LIMITS.keywordBytes + 1))).toEqual([]);
  });

  test('savedQueryBytes: of its request', async () => {
    const full = Array.from({ length: 7 }, () => 'x'.repeat(32_768));
    const request = (value: string) => {
      return { ast: { terms: { field: 'k', values: [...full, value] } } };
    };
    const head = Buffer.byteLength(JSON.stringify(request('')));
    const save = (bytes: number) => () =>
      lake.backend.replaceSavedQuery({
        ...{ id: 'none', name: 'big', request: request('x'.repeat(bytes - head)) },
      });
    expect(await refusal(save(LIMITS.savedQueryBytes))).toMatch(/not_found/);
    expect(await refusal(save(LIMITS.savedQueryBytes + 1))).toMatch(/at most 262144/);
  });

  test('nameChars: of an index', async () => {
    const create = (n: number) => () =>
      lake.backend.createIndex({
        definition: manyFields(1).replace('index: edge', `index: ${'i'.repeat(n)}`),
      });
    const taken = await refusal(create(LIMITS.nameChars));
    expect(taken ?? '').not.toContain(String(LIMITS.nameChars));
    expect(await refusal(create(LIMITS.nameChars + 1))).toContain(String(LIMITS.nameChars));
  });
});
