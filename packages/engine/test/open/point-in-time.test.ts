// @module-tag campaign
/**
 * Points in time: what they outlive, how long they last, whom they answer. And pages by key under
 * them: every key exactly once in every order, whatever is committed between two pages, against a
 * full sort of plain rows. LHS_PIT_CASES sets the number of random orders (15, in campaigns 40),
 * LHS_SEED the seed.
 */

import { join } from 'node:path';
import type { Json, SearchRequest } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, deleteRows, upsertRows } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { FastClock } from '../../../../test/support/followed-table.ts';
import { compactTable } from '../../../../test/support/maintenance/index.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const CASES = Number(process.env.LHS_PIT_CASES ?? byEffort(8, 40));
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);

const SCHEMA = schemaOf({
  id: 'string',
  title: 'string',
  rating: 'double',
  size: 'long',
  state: 'string',
});
const FIELDS = `fields:
  - { name: title, type: TEXT, analyzer: simple }
  - { name: rating, type: DOUBLE }
  - { name: size, type: LONG }
  - { name: state, type: KEYWORD, fast: true }`;

interface Row {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly title: string;
  readonly rating: number | null;
  readonly size: bigint | null;
  readonly state: string | null;
}
const RATINGS = [0, -0, 1.5, -2, Number.NaN, Infinity, -Infinity, null];
const SIZES = [null, 1n, 2n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
const STATES = [null, 'open', 'closed', 'Zoë', ''];

/** Rows with many ties, and every odd value among them. */
function rowsFrom(first: number, count: number, version = 0): Row[] {
  return Array.from({ length: count }, (_, i) => {
    const n = first + i + 7 * version;
    return {
      id: `k${first + i}`,
      title: ['disk', 'disk full', 'full disk disk', 'quiet'][n % 4]!,
      rating: RATINGS[n % RATINGS.length]!,
      size: SIZES[(n * 5) % SIZES.length]!,
      state: STATES[(n * 3) % STATES.length]!,
    };
  });
}

/** As JSON has them: doubles without a number of JSON are texts. */
function written(rows: readonly Row[]) {
  const text = (x: number | null) => (x === null || Number.isFinite(x) ? x : String(x));
  return { kind: 'rows' as const, rows: rows.map((r) => ({ ...r, rating: text(r.rating) })) };
}

let lake: SmallLake;
let rows: Map<string, Row>;
beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, { formatVersion: 3 });
  await lake.define(FIELDS);
  rows = new Map();
  for (const from of [0, 40, 80]) await append(from, 40);
  await lake.backend.reindex({});
});
afterEach(() => lake.close());

async function append(first: number, count: number): Promise<void> {
  const added = rowsFrom(first, count);
  await appendRows(lake.source, written(added));
  for (const row of added) rows.set(row.id, row);
}

/** Appends, updates, deletes, compacts, merges, rebuilds: what may come between two pages. */
async function disturb(round: number): Promise<void> {
  const { backend, source } = lake;
  if (round % 6 === 0) await append(1000 + rows.size, 10);
  else if (round % 6 === 1) {
    await upsertRows(source, written(rowsFrom(round, 20, round)));
  } else if (round % 6 === 2) await deleteRows(source, `id LIKE 'k${round % 9}%'`);
  else if (round % 6 === 3) await backend.compact({ index: 't' });
  else if (round % 6 === 4) await compactTable(source);
  else await backend.reindex({ index: 't' });
  await backend.sync({ index: 't' });
}

const RISING = { field: '_score', desc: false };
type Sort = NonNullable<SearchRequest['sort']>;
const name = (bytes: string): Buffer => Buffer.from(bytes);

/** Missing last in both directions, NaN above all numbers, -0 is 0, texts by their bytes. */
function compareValue(a: unknown, b: unknown, desc: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const sign = desc ? -1 : 1;
  if (typeof a === 'string') return sign * Buffer.compare(name(a), name(b as string));
  const [x, y] = [a, b] as [number, number];
  if (Number.isNaN(x) || Number.isNaN(y)) return sign * (+Number.isNaN(x) - +Number.isNaN(y));
  return sign * (x < y ? -1 : x > y ? 1 : 0);
}

function sorted(of: Iterable<Row>, sort: Sort): Row[] {
  return [...of].sort((a, b) => {
    for (const { field, desc = false } of sort) {
      const column = field === '_key' ? 'id' : field;
      const order = compareValue(a[column], b[column], desc);
      if (order !== 0) return order;
    }
    return Buffer.compare(name(a.id), name(b.id));
  });
}

interface Scrolled {
  readonly keys: string[];
  readonly counts: number[];
  readonly totals: Set<number>;
}

/** All pages by `search_after`; `between` runs after each. */
async function scroll(
  request: SearchRequest,
  between: (page: number) => Promise<void> = async () => {},
): Promise<Scrolled> {
  const found: Scrolled = { keys: [], counts: [], totals: new Set() };
  let after: readonly Json[] | undefined;
  for (let page = 0; ; page++) {
    const { hits, total } = await lake.backend.search({ ...request, search_after: after });
    found.totals.add(total);
    for (const hit of hits) {
      found.keys.push(hit.coordinates.identifier[0].value);
      if (hit.collapse !== undefined) found.counts.push(hit.collapse.count);
    }
    if (hits.length === 0) return found;
    after = JSON.parse(JSON.stringify(hits.at(-1)!.sort)) as readonly Json[];
    await between(page);
  }
}

describe('a point in time', () => {
  test('survives syncs, merges, reindexes and restarts until it is closed', async () => {
    const { backend } = lake;
    const pit = await backend.openPit({ keep_alive: '10m' });
    expect(pit.index_generation).toBe(1);
    expect(Date.parse(pit.expires_at) - Date.now()).toBeLessThanOrEqual(600_000);
    const all = { query: '*:*', sort: [{ field: '_key' }], limit: 50, pit_id: pit.pit_id };
    const before = [...rows.keys()].sort((a, b) => Buffer.compare(name(a), name(b)));
    for (let round = 0; round < 12; round++) {
      await disturb(round);
      expect((await scroll(all)).keys, `after ${round}`).toEqual(before);
    }
    const answer = await backend.search({ pit_id: pit.pit_id });
    expect(answer).toMatchObject({ total: 120, snapshot: pit.snapshot, index_generation: 1 });
    expect(answer.lag_snapshots).toBeGreaterThan(0);
    expect(answer.hits[0]!.sort).toHaveLength(2);
    const again = await openEngine(join(lake.folder, 'data'), { create: true, threads: 0 });
    expect((await again.search({ pit_id: pit.pit_id })).total).toBe(120);
    expect(await again.closePit({ pit_id: pit.pit_id })).toEqual({ closed: true });
    await again.close();
    await expect(backend.search({ pit_id: pit.pit_id })).rejects.toThrow(
      `there is no point in time "${pit.pit_id}" of index "t"`,
    );
    expect(await backend.closePit({ pit_id: pit.pit_id })).toEqual({ closed: false });
  });

  test('is renewed by each use and expires without use', async () => {
    const clock = new FastClock();
    await clock.sleep(Date.now() - clock.now());
    const backend = await openEngine(join(lake.folder, 'data'), {
      create: true,
      threads: 0,
      clock,
    });
    const { pit_id } = await backend.openPit({ keep_alive: '1m' });
    const other = await backend.openPit({ keep_alive: '30000ms' });
    for (let i = 0; i < 5; i++) {
      await clock.sleep(50_000);
      expect((await backend.search({ pit_id })).total).toBe(120);
    }
    await expect(backend.search({ pit_id: other.pit_id })).rejects.toThrow('no point in time');
    await clock.sleep(60_001);
    await expect(backend.search({ pit_id })).rejects.toMatchObject({ code: 'not_found' });
    await backend.close();
  });

  test('opens by its id with its own index only', async () => {
    const { backend } = lake;
    const { catalog } = lake.source;
    const source = `source: { catalog: ${JSON.stringify(catalog)}, table: a.t }`;
    await backend.createIndex({ definition: `version: 1\nindex: other\n${source}\n${FIELDS}\n` });
    await backend.reindex({ index: 'other' });
    const { pit_id } = await backend.openPit({ index: 't' });
    const refusal = (index: string, id: string) =>
      backend.search({ index, pit_id: id }).then(
        () => 'accepted',
        (error: Error & { code: string }) => error.code,
      );
    expect(await refusal('t', pit_id)).toBe('accepted');
    expect(await refusal('other', pit_id)).toBe('not_found');
    expect(await refusal('t', `${pit_id}A`)).toBe('not_found');
    expect(await refusal('t', ` ${pit_id}`)).toBe('not_found');
    expect(await refusal('t', '../../../etc/passwd')).toBe('not_found');
    for (let byte = 0; byte < 29; byte++) {
      const bytes = Buffer.from(pit_id, 'base64url');
      bytes[byte]! ^= 1;
      expect(await refusal('t', bytes.toString('base64url')), `byte ${byte}`).toBe('not_found');
    }
    await expect(backend.closePit({ index: 'other', pit_id })).rejects.toThrow('no point in time');
    expect(await refusal('t', pit_id)).toBe('accepted');
  });

  test.each([
    ['5 minutes', 'expected a time like "30s", "5m", "1h"'],
    ['', 'expected a time like'],
    ['0s', 'from 1s to 60m'],
    ['61m', 'from 1s to 60m'],
  ])('is refused with keep_alive "%s"', async (keep_alive, message) => {
    await expect(lake.backend.openPit({ keep_alive })).rejects.toThrow(message);
  });

  test('is refused for an index that was not built, without a path in the message', async () => {
    const { backend } = lake;
    const source = `source: { catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }`;
    await backend.createIndex({ definition: `version: 1\nindex: other\n${source}\n${FIELDS}\n` });
    await expect(backend.openPit({ index: 'other' })).rejects.toMatchObject({
      code: 'index_not_built',
      message: 'index "other" has not been built yet',
    });
  });

  test('does not wait for a snapshot', async () => {
    const { pit_id, snapshot } = await lake.backend.openPit({});
    const wanted = { pit_id, min_snapshot: snapshot!, wait_ms: 5 };
    await expect(lake.backend.search(wanted)).rejects.toThrow(
      '"wait_ms" does not go with "pit_id"',
    );
  });

  test(`pages every key once while the table changes: ${CASES} orders, seed ${SEED}`, async () => {
    const keys = fc.constantFrom('rating', 'size', 'state', '_key');
    const sorts = fc.array(fc.record({ field: keys, desc: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    });
    const orders = fc.sample(fc.record({ sort: sorts, limit: fc.integer({ min: 7, max: 60 }) }), {
      seed: SEED,
      numRuns: CASES,
    });
    const { pit_id } = await lake.backend.openPit({ keep_alive: '1h' });
    const frozen = [...rows.values()];
    let round = 0;
    for (const { sort, limit } of orders) {
      const move = async (page: number) => {
        if (page === 0) await disturb(round++);
      };
      const { keys: found, totals } = await scroll({ query: '*:*', sort, limit, pit_id }, move);
      expect(found, JSON.stringify(sort)).toEqual(sorted(frozen, sort).map(({ id }) => id));
      expect([...totals]).toEqual([frozen.length]);

      const groups = new Map<unknown, Row[]>();
      for (const row of sorted(frozen, sort)) {
        groups.set(row.state, [...(groups.get(row.state) ?? []), row]);
      }
      const collapsed = await scroll({ query: '*:*', sort, limit: 2, pit_id, collapse: 'state' });
      expect(collapsed.keys).toEqual([...groups.values()].map(([first]) => first.id));
      expect(collapsed.counts).toEqual([...groups.values()].map((group) => group.length));
      expect([...collapsed.totals]).toEqual([frozen.length]);
    }
  });

  test('pages every key once by relevance while the table changes', async () => {
    const { pit_id } = await lake.backend.openPit({});
    const whole = await lake.backend.search({ query: 'disk OR full', limit: 1000, pit_id });
    const order = whole.hits.map((hit) => hit.coordinates.identifier[0].value);
    const matching = [...rows.values()].filter(({ title }) => title !== 'quiet');
    expect([...order].sort()).toEqual(matching.map(({ id }) => id).sort());
    const orders: (Sort | undefined)[] = [undefined, [{ field: '_score' }], [RISING]];
    for (const sort of orders) {
      const request = { query: 'disk OR full', sort, limit: 11, pit_id };
      const { keys } = await scroll(request, disturb);
      if (sort?.[0] !== RISING) expect(keys).toEqual(order);
      expect([...keys].sort()).toEqual([...order].sort());
    }
  });
});
