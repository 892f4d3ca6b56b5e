/**
 * Variants at their limits and one past them: levels, leaves and bytes of a row, and paths that
 * nobody declared.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, QueryTree } from '@lakehouse-search/contract';
import { appendRows, deleteRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { LIMITS } from '../../src/base/limits.ts';

const SCHEMA = schemaOf({ id: 'long', meta: 'variant' });
/** What the reader of tables takes (packages/lake/src/base/limits.ts). */
const LEVELS = 500;

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, { formatVersion: 3 });
  await lake.define('variants:\n  - { column: meta }');
});
afterEach(() => lake.close());

const append = (id: number, meta: unknown) => lake.append([{ id, meta: meta as Json }]);
/** As `append`, of JSON that JSON.stringify cannot write. */
async function appendText(id: number, meta: string): Promise<void> {
  const file = join(lake.folder, `${id}.ndjson`);
  writeFileSync(file, `{"id": ${id}, "meta": ${meta}}\n`);
  await appendRows(lake.source, { kind: 'files', paths: [file] });
}
const nestedText = (levels: number, array: boolean): string =>
  `${(array ? '[' : '{"a":').repeat(levels)}"deep"${(array ? ']' : '}').repeat(levels)}`;
async function ids(ast: QueryTree): Promise<number[]> {
  const { hits } = await lake.backend.search({ ast, limit: 100 });
  return hits.map((hit) => Number(hit.coordinates.identifier[0]!.value)).sort();
}
const term = (path: string, value: string): QueryTree => ({
  term: { field: `meta.${path}`, value },
});
const word = (value: string): QueryTree => ({ term: { field: 'meta', value } });
const path = (levels: number): string => Array.from({ length: levels }, () => 'a').join('.');

function nested(levels: number, array: boolean): unknown {
  let value: unknown = 'deep';
  for (let i = 0; i < levels; i++) value = array ? [value] : { a: value };
  return value;
}

describe('large variants', () => {
  test(`are indexed and returned with ${LEVELS} levels of objects and arrays`, async () => {
    await append(1, nested(LEVELS, false));
    await append(2, { list: nested(LEVELS - 1, true) });
    await lake.backend.reindex({});
    expect(await ids(term(path(LEVELS), 'deep'))).toEqual([1]);
    expect(await ids(term(path(LEVELS - 1), 'deep'))).toEqual([]);
    expect(await ids({ exists: { field: 'meta.a.a' } })).toEqual([1]);
    expect(await ids(term('list', 'deep'))).toEqual([2]);
    expect(await ids(word('deep'))).toEqual([1, 2]);
    const { hits } = await lake.backend.search({ hydrate: true, sort: [{ field: '_key' }] });
    expect(JSON.stringify(hits[0]!.row!.meta)).toBe(JSON.stringify(nested(LEVELS, false)));
    expect(JSON.stringify(hits[1]!.row!.meta)).toBe(
      JSON.stringify({ list: nested(LEVELS - 1, true) }),
    );
  });

  test.each([LEVELS + 1, 10_000])(
    'are refused with %d levels by file and limit; the index still works',
    async (levels) => {
      await append(1, { a: 'good' });
      await lake.backend.reindex({});
      await appendText(2, nestedText(levels, levels % 2 === 0));
      for (const work of [() => lake.backend.sync({}), () => lake.backend.reindex({})]) {
        const error = await work().catch((reason: unknown) => reason);
        expect(error).toMatchObject({ details: { source_code: 'limit_exceeded' } });
        expect(String(error)).toMatch(new RegExp(`deeper than ${LEVELS} .*\\.parquet`));
        expect(await ids(term('a', 'good'))).toEqual([1]);
      }
      await deleteRows(lake.source, 'id = 2');
      await append(3, { a: 'good' });
      await lake.backend.reindex({});
      expect(await ids(term('a', 'good'))).toEqual([1, 3]);
    },
  );

  test('have terms up to a number of leaves; the rest is counted and found by words', async () => {
    const leaves = (n: number) => Array.from({ length: n }, (_, i) => `w${i}`);
    const most = LIMITS.variantLeaves;
    await append(1, { n: leaves(most) });
    expect((await lake.backend.reindex({})).untyped_values).toBeUndefined();
    expect(await ids(term('n', `w${most - 1}`))).toEqual([1]);
    await append(2, { n: leaves(most + 1) });
    await lake.backend.sync({});
    expect(await ids(term('n', `w${most - 1}`))).toEqual([1, 2]);
    expect(await ids(term('n', `w${most}`))).toEqual([]);
    expect(await ids(word(`w${most}`))).toEqual([2]);
    expect((await lake.backend.verify({})).equal).toBe(true);
    expect((await lake.backend.reindex({})).untyped_values).toEqual({ meta: 1 });
    expect(await ids(term('n', `w${most}`))).toEqual([]);
  });

  test('have limits of bytes per term and per row', async () => {
    const room = LIMITS.keywordBytes - 'long'.length - 1;
    await append(1, { long: 'x'.repeat(room) });
    await append(2, { long: 'x'.repeat(room + 1) });
    const texts = Array.from({ length: 300 }, (_, i) => `${i} ${'y'.repeat(30_000)}`);
    await append(3, { many: texts, after: 'behind' });
    const bytes = (i: number) => Buffer.byteLength(`many\0${texts[i]}`);
    let taken = 0;
    for (let sum = 0; sum < LIMITS.variantTermBytes; taken++) sum += bytes(taken);
    const built = await lake.backend.reindex({});
    expect(built.untyped_values).toEqual({ meta: 1 + (texts.length - taken) + 1 });
    expect(await ids(term('long', 'x'.repeat(room)))).toEqual([1]);
    expect(await ids(term('long', 'x'.repeat(room + 1)))).toEqual([]);
    expect(await ids({ exists: { field: 'meta.long' } })).toEqual([1]);
    expect(await ids(term('many', texts[taken - 1]!))).toEqual([3]);
    expect(await ids(term('many', texts[taken]!))).toEqual([]);
    expect(await ids(word('behind'))).toEqual([3]);
  });

  test('gain paths of later snapshots without a change of the definition', async () => {
    await append(1, { old: 1 });
    await lake.backend.reindex({});
    await append(2, { fresh: { path: ['x', { y: 2 }] }, old: 'text' });
    await lake.backend.sync({});
    expect(await ids(term('fresh.path', 'x'))).toEqual([2]);
    expect(await ids(term('fresh.path.y', '2'))).toEqual([2]);
    expect(await ids(term('old', 'text'))).toEqual([2]);
    expect(await ids(term('old', '1.0'))).toEqual([1]);
    await lake.expectRebuilt();
  });
});
