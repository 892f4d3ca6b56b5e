// @module-tag campaign

/**
 * Words of one field beside clauses that give all their matches one score: the query kernel finds
 * what bitmaps find, with equal scores, in the same order. An explicit order by key, which changes
 * no order, is not the kernel's.
 */
import type { SearchRequest } from '@lakehouse-search/contract';
import { deleteRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { kernelUse } from '../../src/scoring/kernel/query-kernel.ts';

const ROWS = 6000;
const random = seededBelow(17);
const oneOf = (texts: readonly string[]): string => texts[random(texts.length)];

/** Frequent words fill bitmaps, others lists; short texts tie, long ones hardly do. */
const WORDS = Array.from(`${'a'.repeat(60)}${'b'.repeat(40)}${'c'.repeat(20)}defghijklmno`);
const rows = Array.from({ length: ROWS }, (_, id) => {
  const words = Array.from({ length: 1 + random(id % 9 === 0 ? 40 : 4) }, () => oneOf(WORDS));
  return {
    id: `${id < 4000 ? 5 : random(10)}${String(id).padStart(4, '0')}`,
    body: words.join(' '),
    kind: oneOf(['red', 'red', 'red', 'green', 'blue', `k${random(50)}`]),
    n: random(10),
    ok: random(4) > 0,
    at: `2026-0${1 + random(9)}-01`,
  };
});

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(
    schemaOf({
      ...{ id: 'string', body: 'string', kind: 'string', n: 'int', ok: 'boolean', at: 'date' },
    }),
    { rows: rows.slice(0, 4000) },
  );
  await lake.build(`key: { identifier: [id] }
fields:
  - { name: body, type: TEXT, analyzer: simple }
  - { name: kind, type: KEYWORD, fast: true }
  - { name: n, type: LONG, fast: true }
  - { name: ok, type: BOOL }
  - { name: at, type: DATE, fast: true }`);
  await lake.append(rows.slice(4000, 5900));
  await lake.backend.sync({});
  await lake.append(rows.slice(5900));
  await deleteRows(lake.source, 'n = 3 AND ok');
  await lake.backend.sync({});
});
afterAll(() => lake.close());

const LETTERS = Array.from('aabbcdefghijklmno');
const boost = (): string => oneOf(['', '', '', '^2', '^0.5', '^524288', '^0.0009765625']);
const word = (letters = LETTERS): string => `body:${oneOf(letters)}${boost()}`;
/** Two different words: the kernel scores equal ones as one. */
const two = (): readonly string[] => [word(['a', 'c', 'h']), word(['b', 'd', 'g'])];
/** Beside such a score, those of words differ less or not at all. */
const LARGE = ['((kind:red^524288)^524288)', '(((n:>2^524288)^524288)^524288)'];
const value = (): string =>
  oneOf([
    ...LARGE,
    ...['kind:red', 'kind:green', 'kind:k7', 'kind:k*', 'kind:[b TO h]'],
    ...['n:4', 'n:>2', 'n:[2 TO 7]', 'ok:true', 'at:>2026-04-01', 'kind:*', 'body:b*', '*:*'],
  ]) + boost();
const values = (): readonly string[] => Array.from({ length: 1 + random(3) }, value);

/** Words that one kernel call scores, before or after values, in an order that both sum in. */
function query(): string {
  const [before, after] = [random(2) === 0 ? values() : [], values()];
  const words = [
    () => [...before, word(), ...after],
    () => [...before, `(${two().join(' OR ')})`, ...after],
    () => [...before, `body:"${oneOf(['a', 'b'])} ${oneOf(LETTERS)}"${boost()}`, ...after],
    () => [...two(), ...after],
  ][random(4)]();
  const others = oneOf(['', '', ' AND NOT kind:blue', ' AND NOT body:c']);
  return `${words.join(' AND ')}${others}`;
}

/** A page, and the one behind it. */
async function pages(request: SearchRequest) {
  const first = await lake.backend.search({ ...request, fields: [] });
  const last = first.hits.at(-1)?.sort;
  const found = ({ hits, total }: typeof first) => ({
    total,
    hits: hits.map(({ coordinates, score }) => [coordinates.identifier[0].value, score]),
  });
  if (last === undefined) return [found(first)];
  const second = await lake.backend.search({ ...request, fields: [], search_after: last });
  return [found(first), found(second)];
}

describe('words beside values', () => {
  it('find by the kernel what bitmaps find, with equal scores and ties', async () => {
    const byScore = { field: '_score', desc: true };
    for (let i = 0; i < byEffort(400, 2000, 10_000); i++) {
      const asked = { query: query(), limit: [1, 3, 10, 70][random(4)] };
      const filter = random(5) === 0 ? { filter: value() } : {};
      const before = kernelUse.run;
      const found = await pages({ ...asked, ...filter, sort: [byScore] });
      const runs = kernelUse.run;
      if (!asked.query.includes('"')) expect(runs, asked.query).toBeGreaterThan(before);
      expect(found, asked.query).toEqual(
        await pages({ ...asked, ...filter, sort: [byScore, { field: '_key' }] }),
      );
      expect(kernelUse.run).toBe(runs);
    }
  });
});
