/**
 * Random variants (deep, arrays, several types on one path, odd keys) from the table through path
 * terms, the catch-all, typed ranges, sorts and aggregations on declared paths, and back as JSON,
 * against brute force over the JSON. LHS_SEED sets the seed.
 */

import type { SearchRequest } from '@lakehouse-search/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const SCHEMA = schemaOf({ id: 'long', meta: 'variant' });
const DEFINITION = `variants:
  - column: meta
    flatten: true
    discriminator: kind
    shapes:
      - name: push
        when: push
        fields: [ { path: size, type: LONG }, { path: at.tag, type: KEYWORD, fast: true } ]`;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Row = Readonly<Record<'id', number>> & Readonly<Record<'meta', Json>>;

const KEYS = ['kind', 'size', 'at', 'tag', 'odd key', 'été', 'a'];
const WORDS = ['push', 'pull', 'red fox', 'Zoë', '', 'x', '12'];
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(...WORDS),
  fc.constantFrom<Json>(0, 1, -7, 12, 12.5, 1e21, 2 ** 40, true, false, null),
);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    scalar,
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));
const event: fc.Arbitrary<Json> = fc.record({
  kind: fc.constantFrom<Json>('push', 'push', 'pull', ['push', 'pull'], 7, null),
  size: fc.oneof(fc.integer({ min: -50, max: 50 }), scalar),
  at: fc.oneof(fc.record({ tag: scalar }), value),
});

/** Leaves by path: keys joined by ".", arrays add nothing; empty objects and arrays have none. */
function leavesOf(node: Json, path = ''): [string, null | boolean | number | string][] {
  if (Array.isArray(node)) return node.flatMap((part) => leavesOf(part, path));
  if (typeof node !== 'object' || node === null) return [[path, node]];
  return Object.entries(node).flatMap(([key, part]) =>
    leavesOf(part, path === '' ? key : `${path}.${key}`),
  );
}
const at = ({ meta }: Row, path: string) =>
  leavesOf(meta).flatMap(([own, leaf]) => (own === path ? [leaf] : []));
const isPush = (row: Row): boolean => at(row, 'kind').includes('push');
/** Values of a typed field: of rows of the shape, and whole numbers that fit alone. */
const sizes = (row: Row): number[] =>
  isPush(row) ? at(row, 'size').flatMap((leaf) => (isLong(leaf) ? [leaf] : [])) : [];
const isLong = (leaf: unknown): leaf is number =>
  Number.isInteger(leaf) && Math.abs(leaf as number) < 2 ** 63;

const rows: readonly Row[] = fc
  .sample(fc.oneof({ weight: 3, arbitrary: event }, { weight: 1, arbitrary: value }), {
    ...{ seed: SEED, numRuns: 400 },
  })
  .map((meta, id) => ({ id, meta }));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, { formatVersion: 3, rows: rows.slice(0, 250) });
  await lake.build(DEFINITION);
  await lake.append(rows.slice(250));
  await lake.backend.sync({});
});
afterAll(() => lake.close());

const idOf = (hit: { coordinates: { identifier: readonly { value: string }[] } }) =>
  Number(hit.coordinates.identifier[0]!.value);
async function ids(request: SearchRequest): Promise<number[]> {
  const { hits } = await lake.backend.search({ limit: 1000, ...request });
  return hits.map(idOf);
}
const rising = (list: number[]): number[] => list.toSorted((a, b) => a - b);
const where = (keep: (row: Row) => boolean): number[] => rows.filter(keep).map(({ id }) => id);

describe('a variant column', () => {
  test(`has every leaf at its path only (seed ${SEED})`, async () => {
    const terms = new Map<string, [string, null | boolean | number | string]>();
    for (const { meta } of rows) {
      for (const leaf of leavesOf(meta)) if (leaf[0] !== '') terms.set(JSON.stringify(leaf), leaf);
    }
    const some = [...terms.values()].filter((_, i) => i % Math.ceil(terms.size / 150) === 0);
    expect(some.length).toBeGreaterThan(80);
    for (const [path, leaf] of some) {
      const query = { term: { field: `meta.${path}`, value: String(leaf) } };
      const wanted = where((row) => at(row, path).some((own) => String(own) === String(leaf)));
      expect(rising(await ids({ ast: query })), JSON.stringify(query)).toEqual(wanted);
    }
  });

  /** Some leaf at the path, or below it, of a row of any shape. */
  const holds = (path: string, keep: (text: string) => boolean) => (row: Row) =>
    at(row, path).some((leaf) => keep(String(leaf)));

  test('is searched by typed field and by path, in rows of any shape and type', async () => {
    const among = (...list: string[]) => list.includes.bind(list);
    const asked: [SearchRequest['ast'], (row: Row) => boolean][] = [
      [{ term: { field: 'meta.size', value: '12' } }, holds('size', among('12'))],
      [{ term: { field: 'meta.size', value: '12.0' } }, holds('size', among('12'))],
      [{ term: { field: 'meta.size', value: 'red fox' } }, holds('size', among('red fox'))],
      [{ phrase: { field: 'meta.at.tag', value: 'red fox' } }, holds('at.tag', among('red fox'))],
      [
        { terms: { field: 'meta.size', values: ['-7', 'x', '12.5'] } },
        holds('size', among('-7', 'x', '12.5')),
      ],
      [
        { terms: { field: 'meta.at.tag', values: ['true', 'x'] } },
        holds('at.tag', among('true', 'x')),
      ],
      [{ prefix: { field: 'meta.size', value: 'pu' } }, holds('size', (t) => t.startsWith('pu'))],
      [
        { wildcard: { field: 'meta.at.tag', value: '*u*' } },
        holds('at.tag', (t) => t.includes('u')),
      ],
      [
        { fuzzy: { field: 'meta.at.tag', value: 'push', edits: 1 } },
        holds('at.tag', among('push')),
      ],
      [
        { fuzzy: { field: 'meta.at.tag', value: 'pusl', edits: 2 } },
        holds('at.tag', among('push', 'pull', 'null')),
      ],
      [
        { regex: { field: 'meta.size', value: '[0-9]+' } },
        holds('size', (t) => /^[0-9]+$/.test(t)),
      ],
      [
        { exists: { field: 'meta.at.tag' } },
        (row) =>
          leavesOf(row.meta).some(([path]) => path === 'at.tag' || path.startsWith('at.tag.')),
      ],
    ];
    for (const [ast, keep] of asked) {
      const wanted = where(keep);
      expect(wanted.length, JSON.stringify(ast)).toBeGreaterThan(0);
      expect(rising(await ids({ ast })), JSON.stringify(ast)).toEqual(wanted);
      const not = { bool: { must_not: [ast!] } };
      expect(await ids({ ast: not }), JSON.stringify(not)).toHaveLength(
        rows.length - wanted.length,
      );
    }
  });

  test('scores by its typed field only, and explanations add up', async () => {
    for (const query of ['meta.at.tag:push', 'meta.size:12', 'meta.size:*']) {
      const { hits } = await lake.backend.search({ query, limit: 1000 });
      const seen = new Set<number>();
      for (const hit of hits) {
        const typed = isPush(rows[idOf(hit)]!);
        if (query.startsWith('meta.size')) expect(hit.score).toBe(1);
        else if (typed) expect(hit.score).toBeGreaterThan(0);
        else expect(hit.score).toBe(0);
        if (seen.has(Number(typed))) continue;
        seen.add(Number(typed));
        const told = await lake.backend.explain({ query, coordinates: hit.coordinates });
        expect(told).toMatchObject({ matched: true, score: hit.score });
      }
      expect(seen.size).toBe(2);
    }
  });

  test('has explanations that agree with the search for every row', async () => {
    for (const query of [
      'meta.at.tag:pus',
      'meta.size:12 OR meta.at.tag:push',
      'meta.at.tag:"red fox" AND NOT meta.size:x',
      'meta.size:red* OR meta.at.tag:xx~1',
      'meta.kind:push AND meta.size:*',
    ]) {
      const { hits } = await lake.backend.search({ query, limit: 1000 });
      const scores = new Map(hits.map((hit) => [idOf(hit), hit.score]));
      for (const { id } of rows.filter((row) => row.id % 7 === 0)) {
        const coordinates = { identifier: [{ name: 'id', value: String(id) }] };
        const told = await lake.backend.explain({ query, coordinates });
        expect([told.found, told.matched], `${query} ${id}`).toEqual([true, scores.has(id)]);
        if (told.matched) expect(told.score).toBeCloseTo(scores.get(id)!, 6);
        else expect(told.why_not, `${query} ${id}`).toBeDefined();
      }
    }
  });

  test('has suggestions for a declared path from rows of every shape', async () => {
    for (const field of ['meta.size', 'meta.at.tag']) {
      const { suggestions } = await lake.backend.suggest({ field, text: 'p' });
      const path = field.slice('meta.'.length);
      const counts = ['pull', 'push'].map((text) => [
        text,
        where(holds(path, (leaf) => leaf === text)).length,
      ]);
      const found = suggestions.map(({ text, doc_count }) => [text, doc_count]);
      expect(found.sort(), field).toEqual(counts);
    }
  });

  test('is searched by words of all string leaves', async () => {
    for (const word of ['push', 'fox', 'red', 'x', 'absent']) {
      const has = (leaf: unknown) => typeof leaf === 'string' && leaf.split(' ').includes(word);
      const wanted = where(({ meta }) => leavesOf(meta).some(([, leaf]) => has(leaf)));
      expect(rising(await ids({ query: `meta:${word}` })), word).toEqual(wanted);
    }
  });

  test('has typed ranges, sorts and aggregations on a declared path', async () => {
    for (const [low, high] of [
      [-50, 50],
      [0, 12],
      [13, 13],
      [1, 2 ** 41],
    ] as const) {
      const wanted = where((row) => sizes(row).some((n) => n >= low && n <= high));
      expect(rising(await ids({ query: `meta.size:[${low} TO ${high}]` }))).toEqual(wanted);
    }
    const best = (row: Row) => (sizes(row).length === 0 ? Infinity : Math.min(...sizes(row)));
    const order = rows.toSorted((a, b) => best(a) - best(b) || a.id - b.id);
    const same = order.map((row) => row.id);
    const sort = [{ field: 'meta.size' }];
    const found = await ids({ sort });
    expect(found.filter((id) => best(rows[id]!) < Infinity)).toEqual(
      same.filter((id) => best(rows[id]!) < Infinity),
    );
    const aggs = { s: { stats: { field: 'meta.size' } } };
    const { results } = await lake.backend.aggregate({ aggs });
    const all = rows.flatMap(sizes);
    expect(results.s).toMatchObject({ count: all.length, min: Math.min(...all) });
  });

  test('is returned as the JSON that was written', async () => {
    const { hits } = await lake.backend.search({ hydrate: true, limit: 1000 });
    expect(hits).toHaveLength(rows.length);
    for (const hit of hits) expect(hit.row).toEqual(rows[idOf(hit)]);
  });
});
