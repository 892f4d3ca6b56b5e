/**
 * KEYWORD fields that compare folded values, against brute force over the rows: several shards,
 * several segments, deletes and a merge. The oracle folds on its own: compatibility decomposition
 * without marks, in lower case.
 */
import type { Hit, Json, SearchRequest } from '@lakehouse-search/contract';
import { deleteRows } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

interface Row {
  readonly id: number;
  readonly name: string | null;
  readonly tags: readonly string[];
}

const SCHEMA = schemaOf({
  id: 'long',
  name: 'string',
  tags: { kind: 'list', elementId: 4, element: { kind: 'string' }, elementRequired: false },
});
const LETTERS = ['a', 'A', 'á', 'Á', 'a\u0301', 'Ａ', 'b', 'B', 'σ', 'ς', 'Σ', 'ё', 'Е', ' ', '𝐛'];
const SEED = Number(process.env.LHS_SEED ?? 20_261_128);

const text = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 3 })
  .map((letters) => letters.join(''));
const rowsOf = (from: number, count: number, seed: number): Row[] =>
  fc
    .sample(fc.tuple(fc.option(text), fc.array(text, { maxLength: 3 })), { seed, numRuns: count })
    .map(([name, tags], i) => ({ id: from + i, name, tags }));

const fold = (value: string): string =>
  value
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll('ς', 'σ');
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

let lake: SmallLake;
let rows: readonly Row[];
const valuesOf = (row: Row, field: 'name' | 'tags'): readonly string[] =>
  field === 'tags' ? row.tags : row.name === null ? [] : [row.name];

/** The most frequent original of a folded value in the rows. */
function shown(field: 'name' | 'tags', folded: string): string {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const value of new Set(valuesOf(row, field))) {
      if (fold(value) === folded) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  const ranked = [...counts].sort(([a, x], [b, y]) => y - x || byBytes(a, b));
  return ranked[0]![0];
}

/** Documents by folded value, the most frequent first. */
function counted(field: 'name' | 'tags'): readonly { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const value of new Set(valuesOf(row, field).map(fold))) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || byBytes(a, b))
    .map(([folded, count]) => ({ value: shown(field, folded), count }));
}

const definition = (folded: string) => `key: { identifier: [id] }
sharding: { shards: 2 }
fields:
  - { name: name, type: KEYWORD, fast: true, cached: true${folded} }
  - { name: tags, type: KEYWORD, fast: true${folded} }
  - { name: label, type: KEYWORD, source: name${folded} }`;

const search = (request: SearchRequest) =>
  lake.backend.search({ index: 't', limit: 500, ...request });
const keyOf = ({ coordinates }: Hit): string => coordinates.identifier[0]!.value;
async function found(request: SearchRequest): Promise<readonly number[]> {
  const { hits } = await search(request);
  return hits.map((hit) => Number(keyOf(hit))).sort((a, b) => a - b);
}
const matching = (field: 'name' | 'tags', test: (folded: string) => boolean) =>
  rows.filter((row) => valuesOf(row, field).some((value) => test(fold(value)))).map(({ id }) => id);

beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA);
  const append = (own: readonly Row[]) => lake.append(own as never);
  const [first, second, third] = [0, 1, 2].map((i) => rowsOf(100 * i, 100, SEED + i));
  await append(first!);
  await lake.build(definition(', folded: true'));
  await append(second!);
  await lake.backend.sync({});
  await deleteRows(lake.source, 'id % 7 = 3');
  await append(third!);
  await lake.backend.sync({});
  rows = [...first!, ...second!.filter(({ id }) => id % 7 !== 3), ...third!].filter(
    ({ id }) => id >= 200 || id % 7 !== 3,
  );
});
afterAll(() => lake.close());

describe('a folded KEYWORD field', () => {
  it.each(['name', 'tags', 'label'] as const)('finds values of %s', async (field) => {
    const column = field === 'tags' ? 'tags' : 'name';
    for (const value of fc.sample(text, { seed: SEED, numRuns: 30 })) {
      const own = fold(value);
      const ask = (kind: string, clause: object) => {
        return found({ ast: { [kind]: { field, ...clause } } as never });
      };
      const equal = matching(column, (one) => one === own);
      expect(await ask('term', { value })).toEqual(equal);
      expect(await ask('terms', { values: [value, 'zz'] })).toEqual(equal);
      expect(await ask('regex', { value: `${value.normalize('NFC')}x?` })).toEqual(equal);
      expect(await ask('fuzzy', { value, edits: 0 })).toEqual(equal);
      expect(await ask('prefix', { value })).toEqual(
        matching(column, (one) => one.startsWith(own)),
      );
      expect(await ask('wildcard', { value: `*${value}` })).toEqual(
        matching(column, (one) => one.endsWith(own)),
      );
    }
  });

  it('are what bare words search where the index has no text', async () => {
    const isB = (folded: string) => folded === 'b';
    const right = new Set([...matching('name', isB), ...matching('tags', isB)]);
    expect(right.size).toBeGreaterThan(0);
    expect(await found({ query: 'B' })).toEqual([...right].sort((a, b) => a - b));
  });

  it('compares ranges by folded values', async () => {
    for (const [from, to] of fc.sample(fc.tuple(text, text), { seed: SEED, numRuns: 30 })) {
      const range = { field: 'name', gte: from, lt: to };
      expect(await found({ ast: { range } })).toEqual(
        matching('name', (one) => byBytes(one, fold(from)) >= 0 && byBytes(one, fold(to)) < 0),
      );
    }
  });

  it('sorts by folded values, and shows originals', async () => {
    const byId = new Map(rows.map((row) => [row.id, row]));
    const pages: (readonly [string, Json | undefined])[] = [];
    let after: readonly Json[] | undefined;
    do {
      const { hits } = await search({
        limit: 40,
        sort: [{ field: 'name' }],
        ...(after === undefined ? {} : { search_after: after }),
      });
      pages.push(...hits.map((hit) => [keyOf(hit), hit.fields?.name] as const));
      after = hits.at(-1)?.sort;
    } while (after !== undefined);
    const expected = rows.toSorted((a, b) => {
      if (a.name === null || b.name === null)
        return Number(a.name === null) - Number(b.name === null) || byBytes(`${a.id}`, `${b.id}`);
      return byBytes(fold(a.name), fold(b.name)) || a.id - b.id;
    });
    expect(new Set(pages.map(([id]) => id))).toEqual(new Set(expected.map(({ id }) => `${id}`)));
    expect(pages.map(([, name]) => (typeof name === 'string' ? fold(name) : undefined))).toEqual(
      expected.map(({ name }) => (name === null ? undefined : fold(name))),
    );
    for (const [id, name] of pages) expect(name ?? null).toBe(byId.get(Number(id))?.name);
  });

  it.each(['name', 'tags'] as const)('counts one bucket per folded value of %s', async (field) => {
    const { facets } = await search({ limit: 1, facets: { fields: [field], size: 100 } });
    expect(facets?.[0]?.buckets).toEqual(counted(field).slice(0, 100));
    const aggs = { by: { terms: { field, size: 3 }, aggs: { n: { cardinality: { field } } } } };
    const { results } = await lake.backend.aggregate({ index: 't', aggs });
    expect(results.by).toMatchObject({
      buckets: counted(field)
        .slice(0, 3)
        .map(({ value, count }) => ({ key: value, doc_count: count })),
    });
  });

  it('counts rows without a value under a value, or a text of the request', async () => {
    const without = rows.filter(({ name }) => name === null).length;
    const [first] = counted('name');
    const by = async (missing: string) => {
      const aggs = { by: { terms: { field: 'name', size: 100, missing } } };
      const { results } = await lake.backend.aggregate({ index: 't', aggs });
      return (results.by as { buckets: { key: string; doc_count: number }[] }).buckets;
    };
    expect(await by('(None)')).toContainEqual({ key: '(None)', doc_count: without });
    const { value: key, count } = first!;
    expect(await by(key.toUpperCase())).toContainEqual({ key, doc_count: count + without });
  });

  it('groups by folded values', async () => {
    const { hits } = await search({ collapse: 'name', sort: [{ field: 'name' }] });
    const groups = hits.flatMap(({ collapse }) => (collapse?.value == null ? [] : [collapse]));
    expect(
      groups.toSorted(
        (a, b) => b.count - a.count || byBytes(fold(`${a.value}`), fold(`${b.value}`)),
      ),
    ).toEqual(counted('name').map(({ value, count }) => ({ value, count })));
  });

  it('suggests originals', async () => {
    for (const field of ['name', 'label'] as const) {
      const { suggestions } = await lake.backend.suggest({
        index: 't',
        field,
        text: 'Á',
        limit: 500,
      });
      const expected = counted('name').filter(({ value }) => fold(value).startsWith('a'));
      expect(suggestions.map(({ text: value, doc_count: count }) => ({ value, count }))).toEqual(
        expected,
      );
    }
  });

  it('marks whole values, and explains by them', async () => {
    const { value } = counted('name')[0]!;
    const query = `name:"${value.toUpperCase()}" label:"${value.toLowerCase()}"`;
    const { hits } = await search({ query, highlight: { fields: ['name', 'label'] } });
    expect(hits.length).toBeGreaterThan(1);
    for (const { fields, highlight } of hits) {
      const marked = [[{ text: fields?.name, marked: true }]];
      expect(highlight).toEqual({ name: marked, label: marked });
    }
  });

  it('is verified against its table, and changes by building the field alone', async () => {
    const { backend } = lake;
    expect(await backend.verify({ index: 't', deep: true })).toMatchObject({ equal: true });
    await lake.expectRebuilt();
    const alter = async (folded: string) => {
      const source = `version: 1\nindex: t\nsource: ${JSON.stringify(lake.source)}\n`;
      const definition_yaml = source + definition(folded);
      return backend.alterIndex({ index: 't', definition_yaml, apply: true });
    };
    const equal = matching('name', (one) => one === 'a');
    expect(await alter('')).toMatchObject({ strategy: 'field' });
    const exact = rows.filter(({ name }) => name === 'A').map(({ id }) => id);
    expect(await found({ query: 'name:A' })).toEqual(exact);
    expect(await alter(', folded: true')).toMatchObject({ strategy: 'field' });
    expect(await found({ query: 'name:A' })).toEqual(equal);
    expect(await backend.verify({ index: 't', deep: true })).toMatchObject({ equal: true });
    await lake.expectRebuilt();
  });
});

describe('a folded KEYWORD field of a struct', () => {
  it('finds, counts and shows values, beside the exact paths of the column', async () => {
    const own = await openSmallLake();
    try {
      const city = { id: 3, name: 'city', type: { kind: 'string' }, required: false } as const;
      const place = { id: 2, name: 'place', required: false } as const;
      const cities = ['München', 'MÜNCHEN', 'München', 'Ulm', null];
      const places = cities.map((name, id) => ({ id, place: { city: name } }));
      await own.create(
        {
          ...SCHEMA,
          fields: [SCHEMA.fields[0]!, { ...place, type: { kind: 'struct', fields: [city] } }],
        },
        { rows: places as never },
      );
      await own.build(`key: { identifier: [id] }
variants:
  - column: place
    flatten: true
    shapes: [{ name: s, fields: [{ path: city, type: KEYWORD, folded: true, fast: true }] }]`);
      const facets = { fields: ['place.city'] };
      const response = await own.backend.search({ query: 'place.city:munchen', facets });
      expect(response.total).toBe(3);
      expect(response.facets?.[0]?.buckets).toEqual([{ value: 'München', count: 3 }]);
      expect(await own.backend.suggest({ field: 'place.city', text: 'mu' })).toMatchObject({
        suggestions: [{ text: 'München', doc_count: 3 }],
      });
      expect(await own.backend.verify({ deep: true })).toMatchObject({ equal: true });
    } finally {
      await own.close();
    }
  });
});
