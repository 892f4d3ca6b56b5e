/**
 * Struct columns by path: random structs, lists of structs and nulls against brute force over the
 * rows, before and after syncs; LHS_SEED sets the seed.
 */
import type { SearchRequest } from '@lakehouse-search/contract';
import type { Field, Schema, Type } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SEED = Number(process.env.LHS_SEED ?? 20_261_123);
let ids = 2;
const field = (name: string, type: Type): Field => {
  return { id: ids++, name, required: false, type };
};
const struct = (fields: readonly Field[]): Type => ({ kind: 'struct', fields });
const string: Type = { kind: 'string' };
const list = (element: Type): Type => {
  return { kind: 'list', elementId: ids++, elementRequired: false, element };
};
const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { id: 1, name: 'id', required: true, type: { kind: 'long' } },
    field(
      'part',
      struct([
        field('color', string),
        field('open', { kind: 'boolean' }),
        field('size', struct([field('w', { kind: 'long' }), field('h', { kind: 'double' })])),
        field('seen', { kind: 'timestamptz' }),
        field('tags', list(string)),
      ]),
    ),
    field('items', list(struct([field('name', string), field('count', { kind: 'int' })]))),
  ],
};
const DEFINITION = `variants:
  - column: part
    flatten: true
    shapes:
      - name: typed
        fields: [ { path: size.w, type: LONG }, { path: seen, type: DATE } ]
  - { column: items, flatten: true, analyzer: folded }`;

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 4 });
const word = fc.constantFrom('red', 'dark red', 'blue', '', 'Zoë');
const part = fc.record({
  color: maybe(word),
  open: maybe(fc.boolean()),
  size: maybe(
    fc.record({
      w: maybe(fc.integer({ min: -5, max: 5 })),
      h: maybe(fc.constantFrom(0.5, 2, -1.25)),
    }),
  ),
  seen: maybe(
    fc
      .integer({ min: 1, max: 28 })
      .map((day) => `2025-10-${String(day).padStart(2, '0')}T08:00:00Z`),
  ),
  tags: maybe(fc.array(maybe(word), { maxLength: 3 })),
});
const item = fc.record({ name: maybe(word), count: maybe(fc.integer({ min: 0, max: 3 })) });
const row = fc.record({ part: maybe(part), items: maybe(fc.array(maybe(item), { maxLength: 3 })) });
const rows = fc.sample(row, { seed: SEED, numRuns: 300 }).map((own, id) => ({ id, ...own }));
type Row = (typeof rows)[number];

/** Values at a path, through lists; nulls are left out. */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one) => valuesAt(one, path));
  if (path.length === 0) return [value];
  return valuesAt((value as Record<string, unknown>)[path[0]], path.slice(1));
}
const at = (own: Row, path: string) => valuesAt(own, path.split('.'));
const where = (keep: (own: Row) => boolean) => rows.filter(keep).map(({ id }) => id);

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, { rows: rows.slice(0, 200) });
  await lake.build(DEFINITION);
  await lake.append(rows.slice(200));
  await lake.backend.sync({});
});
afterAll(() => lake.close());

async function found(request: SearchRequest): Promise<number[]> {
  const { hits } = await lake.backend.search({ limit: 1000, ...request });
  const keys = hits.map(({ coordinates }) => Number(coordinates.identifier[0].value));
  return keys.toSorted((a, b) => a - b);
}

describe('a struct column', () => {
  const PATHS = ['part.color', 'part.open', 'part.size.w', 'part.size.h', 'part.tags'];

  test.each([...PATHS, 'items.name', 'items.count'])(
    `is searched by path: %s (seed ${SEED})`,
    async (path) => {
      const values = new Set(rows.flatMap((own) => at(own, path)).map(String));
      expect(values.size).toBeGreaterThan(1);
      for (const value of values) {
        const wanted = where((own) => at(own, path).some((one) => String(one) === value));
        expect(await found({ ast: { term: { field: path, value } } }), value).toEqual(wanted);
      }
    },
  );

  test('has no null among its leaves', async () => {
    expect(await found({ ast: { term: { field: 'part.color', value: 'null' } } })).toEqual([]);
  });

  test('is searched by the words of its texts', async () => {
    const texts = (own: Row) => [...at(own, 'part.color'), ...at(own, 'part.tags')];
    const wanted = where((own) => texts(own).some((text) => String(text).includes('red')));
    expect(await found({ query: 'part:red' })).toEqual(wanted);
  });

  test('has the accents that the analyzer of its words leaves', async () => {
    const named = (path: string) => where((own) => at(own, path).includes('Zoë'));
    const inPart = new Set([...named('part.color'), ...named('part.tags')]);
    expect(await found({ query: 'part:Zoë' })).toEqual([...inPart].toSorted((a, b) => a - b));
    expect(await found({ query: 'part:zoe' })).toEqual([]);
    expect(await found({ query: 'items:Zoë' })).toEqual(named('items.name'));
    expect(await found({ query: 'items:zoe' })).toEqual(named('items.name'));
  });

  test('shows the analyzer of its words', async () => {
    const { index, fields } = await lake.backend.describeIndex({});
    expect(fields.find(({ name }) => name === 'part')).toMatchObject({ analyzer: 'standard' });
    expect(fields.find(({ name }) => name === 'items')).toMatchObject({ analyzer: 'folded' });
    const { tokens } = await lake.backend.analyze({ index, field: 'items', text: 'Zoë' });
    expect(tokens.map(({ token }) => token)).toEqual(['zoe']);
  });

  test('has ranges of typed leaves', async () => {
    const wide = where((own) => at(own, 'part.size.w').some((w) => Number(w) >= 3));
    expect(await found({ query: 'part.size.w:[3 TO *]' })).toEqual(wide);
    const late = where((own) => at(own, 'part.seen').some((day) => String(day) >= '2025-10-20'));
    expect(await found({ query: 'part.seen:[2025-10-20 TO *]' })).toEqual(late);
  });

  test('is in step after a sync, by all row hashes and terms', async () => {
    expect(await lake.backend.verify({ deep: true })).toMatchObject({ equal: true, faults: [] });
    await lake.expectRebuilt();
  });
});
