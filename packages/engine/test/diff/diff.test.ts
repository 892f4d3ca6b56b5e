/**
 * A diff against brute force: ranks, scores and causes are derived from the rows of both snapshots
 * with a plain BM25, for random tables and changes.
 */
import { deleteRows, upsertRows } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const CASES = Number(process.env.LHS_DIFF_CASES ?? 6);
const schema = schemaOf({ id: 'long', title: 'string', note: 'string' });
const FIELDS = `fields:
  - { name: title, type: TEXT }
  - { name: note, type: TEXT }`;
const WORDS = ['disk', 'cpu', 'fan', 'rack', 'node'];

interface Doc {
  readonly id: number;
  readonly title: string;
  readonly note: string;
}
type Docs = ReadonlyMap<number, Doc>;

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(schema);
  await lake.define(FIELDS);
});
afterEach(() => lake.close());

/** Scores of `title:disk` by id: BM25 with k1 1.2 and b 0.75, as docs/search.md describes it. */
function scores(docs: Docs): Map<number, { score: number; tf: number; length: number }> {
  const lists = [...docs.values()].map((doc) => ({ ...doc, words: doc.title.split(' ') }));
  const average = lists.reduce((sum, { words }) => sum + words.length, 0) / lists.length;
  const df = lists.filter(({ words }) => words.includes('disk')).length;
  const idf = Math.log(1 + (lists.length - df + 0.5) / (df + 0.5));
  return new Map(
    lists.flatMap(({ id, words }) => {
      const tf = words.filter((word) => word === 'disk').length;
      const norm = 1.2 * (1 - 0.75 + (0.75 * words.length) / average);
      return tf === 0 ? [] : [[id, { score: (idf * tf) / (tf + norm), tf, length: words.length }]];
    }),
  );
}

/** The page of a side: ids, best first; equal scores by the key. */
function page(docs: Docs, limit: number): readonly number[] {
  const all = [...scores(docs)];
  all.sort(([a, x], [b, y]) => y.score - x.score || a - b);
  return all.slice(0, limit).map(([id]) => id);
}

/**
 * Whether different texts give the same score up to rounding: `disk` once of one word and three
 * times of five, where texts have three on average. The last bit decides on the order of such hits.
 */
function isClose(docs: Docs): boolean {
  const all = [...scores(docs).values()].sort((x, y) => x.score - y.score);
  return all.some(({ score, tf, length }, i) => {
    const next = all[i + 1];
    if (next === undefined || next.score - score > 1e-6) return false;
    return next.tf !== tf || next.length !== length;
  });
}

/**
 * Whether a text gives the same score, up to rounding, by other numbers of documents and words:
 * the last bit decides whether the hit has moved.
 */
function isCloseAcross(from: Docs, to: Docs): boolean {
  if (figuresOf(from) === figuresOf(to)) return false;
  const after = scores(to);
  return [...scores(from)].some(([id, { score, tf, length }]) => {
    const same = after.get(id);
    if (same === undefined || same.tf !== tf || same.length !== length) return false;
    return Math.abs(same.score - score) <= 1e-6;
  });
}

/** Documents, those with `disk`, and words: the figures of a score. */
function figuresOf(docs: Docs): string {
  const lists = [...docs.values()].map(({ title }) => title.split(' '));
  const words = lists.reduce((sum, list) => sum + list.length, 0);
  return `${lists.length} ${lists.filter((list) => list.includes('disk')).length} ${words}`;
}

/** The main cause of a hit. */
function causeOf(id: number, from: Docs, to: Docs): string {
  const [a, b] = [from.get(id), to.get(id)];
  if (a === undefined) return 'row_inserted';
  if (b === undefined) return 'row_deleted';
  const [x, y] = [scores(from).get(id), scores(to).get(id)];
  if (x?.tf !== y?.tf || x?.length !== y?.length) return 'row_changed';
  return Math.abs(x!.score - y!.score) > 1e-6 ? 'statistics' : 'others';
}

const idOf = ({ identifier }: { identifier: readonly { value: string }[] }) =>
  Number(identifier[0].value);

const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 });
const docs = fc.uniqueArray(
  fc.record({
    id: fc.nat(60),
    title: words.map((list) => list.join(' ')),
    note: fc.constant<string>('x'),
  }),
  { selector: ({ id }) => id, minLength: 8, maxLength: 40 },
);
const change = fc.record({
  upserts: docs,
  deleted: fc.uniqueArray(fc.nat(60), { maxLength: 6 }),
  noted: fc.uniqueArray(fc.nat(60), { maxLength: 6 }),
});

async function expectDiff(before: Docs, after: Docs, from: bigint, to: string) {
  const limit = 6;
  const request = { index: 't', query: 'title:disk', from: String(from), to, limit };
  const found = await lake.backend.diffHits(request);
  const [a, b] = [page(before, limit), page(after, limit)];
  const scored = { from: scores(before), to: scores(after) };
  const expected = [
    ...b.flatMap((id, i) => {
      const rank = a.indexOf(id);
      if (rank < 0) return [{ id, change: 'entered' }];
      const moved = scored.from.get(id)!.score - scored.to.get(id)!.score;
      return rank === i && Math.abs(moved) < 1e-6 ? [] : [{ id, change: 'moved' }];
    }),
    ...a.filter((id) => !b.includes(id)).map((id) => ({ id, change: 'left' })),
  ].map((hit) => ({ ...hit, cause: causeOf(hit.id, before, after) }));
  const shown = found.hits.map(({ coordinates, change, causes }) => {
    return { id: idOf(coordinates), change, cause: causes[0].cause };
  });
  expect(shown).toEqual(expected);
  expect(found.same).toBe(b.filter((id) => a.includes(id)).length - moved(expected));
  for (const { coordinates, from, to, causes } of found.hits) {
    const id = idOf(coordinates);
    for (const [place, side] of [
      [from, scored.from],
      [to, scored.to],
    ] as const) {
      if (!side.has(id)) expect(place).toBeUndefined();
      else expect(place!.score).toBeCloseTo(side.get(id)!.score, 4);
    }
    const changed = causes.find(({ cause }) => cause === 'row_changed');
    if (changed !== undefined) {
      const own = (['title', 'note'] as const).filter(
        (name) => before.get(id)![name] !== after.get(id)![name],
      );
      expect(changed.columns).toEqual(own);
    }
  }
  return found;
}
const moved = (hits: readonly { change: string }[]) =>
  hits.filter(({ change }) => change === 'moved').length;

describe('the difference of two searches', () => {
  it('has the hits and causes of brute force, for built sides and for the live one', async () => {
    await fc.assert(
      fc.asyncProperty(docs, change, async (rows, { upserts, deleted, noted }) => {
        const before = new Map(rows.map((row) => [row.id, row]));
        const after = new Map(before);
        for (const row of upserts) after.set(row.id, row);
        for (const id of noted) {
          const own = after.get(id);
          if (own !== undefined) after.set(id, { ...own, note: `noted ${id}` });
        }
        for (const id of deleted) after.delete(id);
        fc.pre(!isClose(before) && !isClose(after) && !isCloseAcross(before, after));
        const table = await lake.table();
        const has = table.currentSnapshotId !== null;
        await table.close();
        if (has) await deleteRows(lake.source, 'true');
        await lake.append(rows);
        const from = await lake.head();
        await lake.backend.reindex({ index: 't' });
        const all = [...after.values()];
        await upsertRows(lake.source, { kind: 'rows', rows: all });
        const gone = [...deleted, -1].join(', ');
        await deleteRows(lake.source, `id IN (${gone})`);
        if (after.size === 0) return;
        const to = await lake.head();
        const built = await expectDiff(before, after, from, String(to));
        expect([built.from.kind, built.to.kind]).toEqual(['live', 'built']);
        const back = await expectDiff(after, before, to, String(from));
        expect([back.from.kind, back.to.kind]).toEqual(['built', 'live']);
        await lake.backend.reindex({ index: 't' });
        const live = await expectDiff(before, after, from, 'now');
        expect([live.from.kind, live.to.kind]).toEqual(['kept', 'live']);
      }),
      { numRuns: CASES },
    );
  });
});
