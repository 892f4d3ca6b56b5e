// @module-tag campaign
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { q } from '@lakehouse-search/engine';
import {
  type Collection,
  date,
  type NewRowOf,
  openCollection,
  optional,
  type RowOf,
  text,
} from '@lakehouse-search/engine/collection';
import { openTable } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort, seedOfDay } from '../../../../test/support/effort.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { NOTES } from './columns.ts';

type Note = RowOf<typeof NOTES>;
type NewNote = NewRowOf<typeof NOTES>;
type Notes = Collection<typeof NOTES, 'id'>;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-collection-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const openNotes = () => openCollection(folder, 'notes', NOTES);
const WORDS = ['timeout', 'parser', 'queue', 'disk', 'cache', 'träge'];

/** Random rows and what a collection returns for them. */
function noteMaker(below: (n: number) => number) {
  const maybe = <T>(value: T): T | null | undefined => [value, value, null, undefined][below(4)];
  return (id: string): { readonly given: NewNote; readonly note: Note } => {
    const words = Array.from({ length: 1 + below(4) }, () => WORDS[below(WORDS.length)]);
    const at = new Date(
      Date.UTC(2025, below(12), 1 + below(28)) - below(2) * 2 ** 41 + below(1000),
    );
    const rest = {
      size: maybe([below(50), -below(50), Number.MAX_SAFE_INTEGER][below(3)]),
      price: maybe([below(100) / 3, -1e-300, 1e300][below(3)]),
      done: maybe(below(2) === 0),
      label: maybe(['', 'a b', 'ü\n"\\', '\u0000', '💡'][below(5)]),
      body: maybe(words.join('\n')),
    };
    const title = words.join(' ');
    const some = <T>(make: () => T): T[] => Array.from({ length: below(4) }, make);
    const lists = {
      labels: some(() => ['b', '', 'a b', 'ü'][below(4)]),
      days: some(() => new Date(Date.UTC(2025, below(12), 1))),
      sizes: some(() => below(5) - 2),
    };
    const given = { id, title, at: below(2) === 0 ? at : at.toISOString(), ...lists, ...rest };
    // there is one zero
    const values = Object.fromEntries(
      Object.entries(rest).map(([name, v]) => [name, v === 0 ? 0 : (v ?? null)]),
    );
    return { given, note: { id, title, at, ...lists, ...(values as typeof rest) } as Note };
  };
}

/** Compares every way to read with plain loops over the rows. */
async function expectEqual(notes: Notes, rows: ReadonlyMap<string, Note>): Promise<void> {
  const all = [...rows.values()];
  const found = await notes.search({ query: '*', sort: [{ field: '_key' }], limit: 1000 });
  expect(found.total).toBe(rows.size);
  expect(found.hits.map(({ row }) => row)).toEqual(all.sort((a, b) => (a.id < b.id ? -1 : 1)));
  for (const word of WORDS) {
    const { hits, total } = await notes.search({ query: `title:${word}`, limit: 1000 });
    const expected = all.filter(({ title }) => title.split(' ').includes(word));
    expect(total).toBe(expected.length);
    expect(new Set(hits.map(({ key }) => key))).toEqual(new Set(expected.map(({ id }) => id)));
  }
  const small = await notes.search({
    filter: 'size:[-10 TO 30]',
    sort: [{ field: 'at', desc: true }, { field: '_key' }],
    limit: 1000,
  });
  const expected = all
    .filter(({ size }) => size !== null && size >= -10 && size <= 30)
    .sort((a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? -1 : 1));
  expect(small.hits.map(({ row }) => row)).toEqual(expected);
  for (const label of ['b', 'a b']) {
    const { total } = await notes.search({ filter: q.term('labels', label), limit: 0 });
    expect(total).toBe(all.filter(({ labels }) => labels.includes(label)).length);
  }
  const negative = await notes.search({ filter: q.range('sizes', { lt: 0 }), limit: 0 });
  expect(negative.total).toBe(all.filter(({ sizes }) => sizes.some((size) => size < 0)).length);
  const middle = all[all.length >> 1]?.at ?? new Date();
  const since = await notes.search({ filter: q.range('at', { gte: middle }), limit: 0 });
  expect(since.total).toBe(all.filter(({ at }) => at >= middle).length);
}

describe('random changes of a collection', () => {
  const rounds = byEffort(1, 8, 100);
  it.each(Array.from({ length: rounds }, (_, i) => (seedOfDay() + i) * 7919))(
    'leave the rows that a map has, seed %i',
    async (seed) => {
      const below = seededBelow(seed);
      const make = noteMaker(below);
      const keys = Array.from({ length: 30 }, (_, i) => `k ${i}=,"`);
      const rows = new Map<string, Note>();
      let notes = await openNotes();
      const upsert = (): Promise<unknown> => {
        const made = Array.from({ length: 1 + below(5) }, () => make(keys[below(keys.length)]));
        for (const { note } of made) rows.set(note.id, note);
        return notes.upsert(made.map(({ given }) => given));
      };
      const remove = (): Promise<unknown> => {
        const gone = Array.from({ length: 1 + below(3) }, () => keys[below(keys.length)]);
        for (const key of gone) rows.delete(key);
        return notes.delete(gone.length === 1 ? gone[0] : gone);
      };
      for (let step = 0; step < 12; step++) {
        const calls = Array.from({ length: 1 + below(5) }, () =>
          below(3) === 0 ? remove() : upsert(),
        );
        await Promise.all(calls);
        const key = keys[below(keys.length)];
        expect(await notes.get(key)).toEqual(rows.get(key) ?? null);
        if (step % 4 === 0) await expectEqual(notes, rows);
        if (below(6) === 0) {
          await notes.close();
          notes = await openNotes();
        }
      }
      await expectEqual(notes, rows);
      expect(await notes.backend.indexes.verify({ index: 'notes', deep: true })).toMatchObject({
        equal: true,
      });
      await notes.close();
    },
  );
});

describe('a collection', () => {
  it('commits calls that wait together as one snapshot', async () => {
    await using notes = await openNotes();
    const note = (id: string) => ({ id, title: id, at: new Date(0) });
    const first = notes.upsert(note('first'));
    const done = await Promise.all([
      first,
      ...Array.from({ length: 500 }, (_, i) => notes.upsert(note(`n${i}`))),
      notes.delete('n7'),
      notes.upsert({ ...note('n8'), title: 'again' }),
    ]);
    expect(new Set(done.map(({ snapshot }) => snapshot)).size).toBeLessThan(4);
    expect(await notes.get('n7')).toBeNull();
    expect((await notes.search('again')).hits.map(({ key }) => key)).toEqual(['n8']);
    expect(await notes.delete(['n7', 'nobody'])).toEqual({ snapshot: done.at(-1)?.snapshot });
    expect(await notes.upsert([])).toEqual({ snapshot: done.at(-1)?.snapshot });
  });

  it('rewrites small files and forgets old snapshots as commits go on', async () => {
    await using notes = await openNotes();
    for (let i = 0; i < 65; i++) {
      await notes.upsert({ id: `n${i % 50}`, title: `round ${i}`, at: new Date(i) });
    }
    // the compaction runs after the caller of its commit has its result
    await notes.upsert({ id: 'last', title: 'last', at: new Date(0) });
    const catalog = { type: 'filesystem' as const, warehouse: join(folder, 'warehouse') };
    const table = await openTable({ catalog, table: 'collections.notes' });
    const { files } = await table.files(table.currentSnapshotId);
    await table.close();
    expect(files.length).toBeLessThan(12);
    const metadata = readdirSync(join(folder, 'warehouse/collections/notes/metadata'));
    expect(metadata.filter((name) => name.endsWith('.metadata.json')).length).toBeLessThan(40);
    expect((await notes.search({ query: '*', limit: 1 })).total).toBe(51);
    expect(await notes.get('n19')).toEqual(expect.objectContaining({ title: 'round 19' }));
    expect(await notes.backend.indexes.verify({ index: 'notes' })).toMatchObject({ equal: true });
  });

  it('has integer keys, and keys of another name', async () => {
    const columns = { sku: 'integer', name: 'text' } as const;
    await using goods = await openCollection(folder, 'goods', columns, { key: 'sku' });
    await goods.upsert([
      { sku: -1, name: 'a lamp' },
      { sku: Number.MAX_SAFE_INTEGER, name: 'a chair' },
    ]);
    await goods.delete(-1);
    const { hits } = await goods.search('chair OR lamp');
    expect(hits.map(({ key }) => key)).toEqual([Number.MAX_SAFE_INTEGER]);
    expect(await goods.get(Number.MAX_SAFE_INTEGER)).toEqual(hits[0]?.row);
  });

  it('has numbers where an index has texts of large numbers', async () => {
    const columns = { id: 'string', n: 'integer', x: optional('number'), at: date() } as const;
    await using rows = await openCollection(folder, 'rows', columns);
    const at = new Date('9999-12-31T23:59:59.999Z');
    const max = Number.MAX_SAFE_INTEGER;
    await rows.upsert([
      { id: '12', n: max, x: Number.MAX_VALUE, at },
      { id: '13', n: max, x: Number.MAX_VALUE, at: new Date(0) },
    ]);
    const { aggs } = await rows.search({
      limit: 0,
      aggs: {
        ids: {
          terms: { field: 'id', order: { _key: 'asc' } },
          aggs: { n: { max: { field: 'n' } } },
        },
        n: { terms: { field: 'n' }, aggs: { days: { max: { field: 'at' } } } },
        sums: { stats: { field: 'n' } },
        x: { sum: { field: 'x' } },
        middle: { percentiles: { field: 'n', percents: [50] } },
        days: { date_histogram: { field: 'at', calendar_interval: 'day', min_doc_count: 1 } },
        some: { filter: 'id:12', aggs: { n: { sum: { field: 'n' } } } },
        ranges: { range: { field: 'n', ranges: [{ from: 1 }] } },
      },
    });
    expect(aggs.ids.buckets.map(({ key, aggs }) => [key, aggs.n.value])).toEqual([
      ['12', max],
      ['13', max],
    ]);
    expect(aggs.n.buckets).toEqual([
      { key: max, doc_count: 2, aggs: { days: { value: at.getTime() * 1000 } } },
    ]);
    expect(aggs.sums).toEqual({ count: 2, min: max, max, sum: 2 * max, avg: max });
    expect(aggs.x.value).toBe(Number.POSITIVE_INFINITY);
    expect(aggs.middle.values).toEqual([{ percent: 50, value: max }]);
    expect(aggs.days.buckets.map(({ key }) => key)).toEqual([0, Date.UTC(9999, 11, 31) * 1000]);
    expect(aggs.some.aggs.n.value).toBe(max);
    expect(aggs.ranges.buckets[0]?.key).toBeTypeOf('string');
  });

  it('follows a changed analyzer, and refuses other columns', async () => {
    const open = (body: 'standard' | 'english') =>
      openCollection(folder, 'texts', { id: 'string', body: text(body) });
    await using plain = await open('standard');
    await plain.upsert({ id: 'a', body: 'timeouts' });
    expect((await plain.search('timeout')).total).toBe(0);
    await using english = await open('english');
    expect((await english.search('timeout')).total).toBe(1);
    const other = openCollection(folder, 'texts', { id: 'string', body: 'integer' });
    await expect(other).rejects.toMatchObject({
      code: 'schema_changed',
      message: expect.stringContaining('column "body" of collection "texts" is string'),
    });
    const fewer = openCollection(folder, 'texts', { id: 'string' });
    await expect(fewer).rejects.toMatchObject({ code: 'schema_changed' });
  });

  it('searches all of its text columns, also after its index was altered', async () => {
    const columns = { id: 'string', title: 'text', summary: text('english') } as const;
    const open = () => openCollection(folder, 'papers', columns);
    await using papers = await open();
    await papers.upsert({ id: 'a', title: 'Memory', summary: 'Pointers and arrays' });
    const keys = async (collection: typeof papers, query: string) =>
      (await collection.search(query)).hits.map(({ key }) => key);
    expect(await keys(papers, 'pointer')).toEqual(['a']);
    expect(await keys(papers, 'memory')).toEqual(['a']);
    const older = {
      version: 1,
      index: 'papers',
      source: {
        catalog: { type: 'filesystem', warehouse: join(folder, 'warehouse') },
        table: 'collections.papers',
      },
      fields: [
        { name: 'id', type: 'KEYWORD', fast: true, cached: true },
        { name: 'title', type: 'TEXT', cached: true },
        { name: 'summary', type: 'TEXT', analyzer: 'english', cached: true },
      ],
    } as const;
    const change = { index: 'papers', definition_yaml: older, apply: true };
    expect(await papers.backend.indexes.alter(change)).toMatchObject({ strategy: 'live' });
    expect(await keys(papers, 'pointer')).toEqual([]);
    await using again = await open();
    expect(await keys(again, 'pointer')).toEqual(['a']);
  });

  it('of a closed engine refuses changes', async () => {
    const notes = await openNotes();
    const last = notes.upsert({ id: 'a', title: 'written', at: new Date(0) });
    await notes.close();
    expect((await last).snapshot).toMatch(/^\d+$/);
    await expect(notes.delete('a')).rejects.toMatchObject({ code: 'closed' });
    await using again = await openNotes();
    expect((await again.search('written')).total).toBe(1);
  });
});
