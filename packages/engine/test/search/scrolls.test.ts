/**
 * Scrolls by `search_after` through a small table in several segments, in pages of 100 to 1,000, by
 * every kind of column: whole, in order, without a hit twice, against plain sorts of the rows.
 */

import type { SearchRequest, SortSpec } from '@lakehouse-search/contract';
import { deleteRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const ROWS = 2600;
const schema = schemaOf({ id: 'string', at: 'timestamptz', n: 'long', tag: 'string' });

type Row = {
  readonly id: string;
  readonly at: string | null;
  readonly n: number | null;
  readonly tag: string | null;
};

const below = seededBelow(99);
const rows = Array.from({ length: ROWS }, (_, i): Row => {
  const at = new Date(Date.UTC(2020, 0, 1) + below(1e9)).toISOString();
  return {
    id: String((i * 7919) % 1_000_003).padStart(7, '0'),
    at: below(9) === 0 ? null : at,
    n: below(9) === 0 ? null : below(40) - 20,
    tag: below(9) === 0 ? null : `t${below(200)}`,
  };
});
const live = rows.filter(({ n }) => n !== 7);

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows: rows.slice(0, 1500) });
  await lake.build(`key: { identifier: [id] }
fields:
  - { name: at, type: DATE, fast: true }
  - { name: n, type: LONG, fast: true }
  - { name: tag, type: KEYWORD, fast: true }`);
  await lake.append(rows.slice(1500, 2000));
  await lake.backend.sync({});
  await lake.append(rows.slice(2000));
  await deleteRows(lake.source, 'n = 7');
  await lake.backend.sync({});
});
afterAll(() => lake.close());

type Value = string | number | null;
const cellOf = (row: Row, field: string): Value =>
  field === '_key' ? row.id : row[field as keyof Row];

function compare(a: Value, b: Value, desc: boolean): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b !== desc ? -1 : 1;
}

/** Ids in an order, by a plain sort; equal rows by id. */
function sorted(of: readonly Row[], sort: readonly SortSpec[]): readonly string[] {
  const order = [...sort, { field: '_key' }];
  const ordered = of.toSorted((a, b) => {
    for (const { field, desc = false } of order) {
      const difference = compare(cellOf(a, field), cellOf(b, field), desc);
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return ordered.map(({ id }) => id);
}

/** The pages of a scroll, one after another. */
async function* pages(request: SearchRequest): AsyncGenerator<readonly string[]> {
  let search_after: SearchRequest['search_after'];
  for (;;) {
    const { hits, total } = await lake.backend.search({ ...request, search_after });
    expect(total).toBeGreaterThan(0);
    yield hits.map(({ coordinates }) => coordinates.identifier[0]!.value);
    if (hits.length < request.limit!) return;
    search_after = hits.at(-1)!.sort;
  }
}

const SORTS: readonly (readonly SortSpec[])[] = [
  [{ field: 'at' }],
  [{ field: 'at', desc: true }],
  [{ field: 'n' }],
  [{ field: 'n', desc: true }],
  [{ field: 'tag' }],
  [{ field: 'tag', desc: true }],
  [{ field: '_key' }],
  [{ field: '_key', desc: true }],
  [{ field: 'tag' }, { field: 'n', desc: true }],
  [{ field: 'n' }, { field: 'at', desc: true }, { field: '_key', desc: true }],
];
const cases = SORTS.flatMap((sort) => [100, 333, 1000].map((limit) => ({ sort, limit })));
const named = cases.map((one) => [JSON.stringify(one), one] as const);

describe('a scroll', () => {
  it.each(named)('%s is the sorted rows', async (_, { sort, limit }) => {
    const all = await Array.fromAsync(pages({ sort: [...sort], limit }));
    expect(all.flat()).toEqual(sorted(live, sort));
    const filtered = pages({ query: 'n:[0 TO 15]', sort: [...sort], limit });
    const few = live.filter(({ n }) => n !== null && n >= 0 && n <= 15);
    expect((await Array.fromAsync(filtered)).flat()).toEqual(sorted(few, sort));
  });

  it('goes on where it was when many others run beside it', async () => {
    const sorts = [
      ...SORTS,
      [{ field: 'tag' }, { field: 'at' }],
      [{ field: 'n' }, { field: 'tag' }],
    ];
    const running = sorts.map((sort) => pages({ sort: [...sort], limit: 100 }));
    const found = running.map((): string[] => []);
    const open = new Map(running.entries());
    while (open.size > 0) {
      for (const [i, scroll] of open) {
        const { value, done } = await scroll.next();
        if (done === true) open.delete(i);
        else found[i]!.push(...value);
      }
    }
    expect(found).toEqual(sorts.map((sort) => sorted(live, sort)));
  });

  it('of groups has each group once, at the place of its first hit', async () => {
    const sort = [{ field: 'at', desc: true }];
    const groups: string[] = [];
    let search_after: SearchRequest['search_after'];
    for (;;) {
      const request = { sort, limit: 20, collapse: 'tag', search_after };
      const { hits } = await lake.backend.search(request);
      groups.push(...hits.map(({ coordinates }) => coordinates.identifier[0]!.value));
      if (hits.length < 20) break;
      search_after = hits.at(-1)!.sort;
    }
    const tags = new Map(live.map(({ id, tag }) => [id, tag]));
    const seen = new Set<Value>();
    const firsts = sorted(live, sort).filter((id) => {
      const tag = tags.get(id)!;
      return !seen.has(tag) && seen.add(tag);
    });
    expect(groups).toEqual(firsts);
  });

  it('at a point in time stays as it was while the index changes', async () => {
    const { pit_id } = await lake.backend.openPit({});
    const sort = [{ field: 'tag', desc: true }];
    const found: string[] = [];
    let round = 0;
    for await (const page of pages({ sort, limit: 400, pit_id })) {
      found.push(...page);
      await lake.append([{ ...rows[0]!, id: `new${round++}` }]);
      await lake.backend.sync({});
    }
    expect(round).toBeGreaterThan(3);
    expect(found).toEqual(sorted(live, sort));
    await lake.backend.closePit({ pit_id });
    await deleteRows(lake.source, "id LIKE 'new%'");
    await lake.backend.sync({});
  });
});
