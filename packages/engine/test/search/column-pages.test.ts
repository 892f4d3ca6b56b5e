/**
 * Pages by columns over many zones, filters and facets by bitmaps, against plain sorts of the rows.
 */

import type { SearchRequest } from '@lakehouse-search/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { filesNamed } from '../../../../test/support/files-named.ts';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { executionPlan } from '../../../../test/support/search-context.ts';
import { deleteAt } from '../../../../test/support/writer-edits.ts';
import { countValues } from '../../src/aggregate/count/count-values.ts';
import { simpleAnalyzer } from '../../src/analysis/simple.ts';
import { inOneTurn } from '../../src/base/turns.ts';
import { forEachBit } from '../../src/bitmap/bitmap.ts';
import type { SearchAfter, SortKey } from '../../src/collect/order.ts';
import { ASKS_BEFORE_ORDER } from '../../src/columnar/value-order.ts';
import { type IndexSnapshot, openSnapshot } from '../../src/index/index-snapshot.ts';
import { IndexWriter } from '../../src/index/index-writer.ts';
import type { Clause } from '../../src/query/bind/clause.ts';
import type { FieldBlock } from '../../src/schema/field-block.ts';
import type { FieldPlan } from '../../src/schema/field-plan.ts';
import { execute } from '../../src/shard/execute/execute.ts';
import type { Execution } from '../../src/shard/execute/execution-plan.ts';
import { FilterCache } from '../../src/shard/execute/filter-cache.ts';
import { executingPage } from '../../src/shard/execute/next-pages.ts';

const DOCS = 20_000;
const plan = (id: number, name: string, type: FieldPlan['type']): FieldPlan => ({
  id,
  name,
  type,
  inverted:
    type === 'TEXT'
      ? { kind: 'text', analyzer: simpleAnalyzer }
      : type === 'KEYWORD'
        ? { kind: 'keyword' }
        : null,
  column: type === 'TEXT' ? null : type === 'KEYWORD' ? 'ordinal' : 'numeric',
  stored: false,
});
const TEXT = plan(0, 'text', 'TEXT');
const TAG = plan(1, 'tag', 'KEYWORD');
const COLUMNS = ['rising', 'falling', 'random', 'few', 'sparse'].map((name, i) =>
  plan(2 + i, name, 'LONG'),
);

const below = seededBelow(12_345);

interface Row {
  readonly key: string;
  readonly words: readonly string[];
  readonly tag: string;
  readonly values: readonly (number | null)[];
}
const WORDS = ['common', 'half', 'list', 'rare'];
const SHARES = [1.2, 2, 40, 900];
const ROWS = Array.from({ length: DOCS }, (_, i): Row => {
  return {
    key: String((i * 7919) % 1_000_003).padStart(7, '0'),
    words: WORDS.filter((_, w) => below(1000) < 1000 / SHARES[w]!),
    tag: ['a', 'b', 'c', 'd'][below(4) & below(4)]!,
    values: [3 * i, -i, below(1e6), below(5), below(3) === 0 ? below(100) : null],
  };
});

function bytes(values: readonly string[]): FieldBlock & { readonly kind: 'bytes' } {
  const offsets = new Int32Array(values.length + 1);
  values.forEach((value, i) => {
    offsets[i + 1] = offsets[i]! + value.length;
  });
  const starts = Int32Array.from(offsets, (_, i) => i);
  return { kind: 'bytes', starts, offsets, bytes: Buffer.from(values.join('')) };
}

function longs(values: readonly (number | null)[]): FieldBlock {
  const starts = new Int32Array(values.length + 1);
  values.forEach((value, i) => {
    starts[i + 1] = starts[i]! + (value === null ? 0 : 1);
  });
  const present = values.filter((value) => value !== null);
  return { kind: 'long', starts, values: BigInt64Array.from(present, BigInt) };
}

function build(): { readonly snapshot: IndexSnapshot; readonly live: readonly Row[] } {
  const directory = new MemoryDirectory(plainArena());
  const writer = IndexWriter.open(directory, [TEXT, TAG, ...COLUMNS]);
  const keys = bytes(ROWS.map(({ key }) => key));
  writer.add({
    docs: DOCS,
    keyOffsets: keys.offsets,
    keyBytes: keys.bytes,
    files: new Int32Array(DOCS),
    positions: Int32Array.from(ROWS, (_, i) => i),
    hashes: new BigUint64Array(DOCS),
    fields: new Map([
      ['text', bytes(ROWS.map(({ words }) => words.join(' ')))],
      ['tag', bytes(ROWS.map(({ tag }) => tag))],
      ...COLUMNS.map((column, i): [string, FieldBlock] => [
        column.name,
        longs(ROWS.map(({ values }) => values[i]!)),
      ]),
    ]),
  });
  writer.commit({ checkpoint: null, files: filesNamed('f') });
  const gone = new Set(ROWS.filter((_, i) => i > DOCS - 300 || i % 17 === 0));
  deleteAt(
    writer,
    ROWS.flatMap((row, position) => (gone.has(row) ? [{ file: 0, position }] : [])),
  );
  writer.commit({ checkpoint: null, files: filesNamed('f') });
  return { snapshot: openSnapshot(directory), live: ROWS.filter((row) => !gone.has(row)) };
}

const { snapshot, live } = build();
const { segments } = snapshot;
const word = (text: string): Clause => {
  return { kind: 'term', boost: 1, field: TEXT, term: Buffer.from(text) };
};
const tagged = (tag: string): Clause => {
  return { kind: 'term', boost: 1, field: TAG, term: Buffer.from(tag) };
};
const bool = { kind: 'bool', must: [], should: [], mustNot: [], filter: [], minimum: 0 } as const;
const anyOf = (...words: readonly string[]): Clause => {
  return { ...bool, should: words.map(word), minimum: 1 };
};
const few: Clause = {
  kind: 'numbers',
  boost: 1,
  field: COLUMNS[3]!,
  ranges: [{ lower: 1n, upper: 2n }],
};
const isFew = ({ values }: Row) => values[3]! >= 1 && values[3]! <= 2;
const has =
  (...words: readonly string[]) =>
  (row: Row) =>
    words.some((one) => row.words.includes(one));

const QUERIES: readonly (readonly [string, Clause, (row: Row) => boolean])[] = [
  ['all', { kind: 'all', boost: 1 }, () => true],
  ['range', few, isFew],
  ['common or list', anyOf('common', 'list'), has('common', 'list')],
  ['half or rare', anyOf('half', 'rare'), has('half', 'rare')],
  ['rare', word('rare'), has('rare')],
  [
    'half and range',
    { ...bool, must: [word('half')], filter: [few] },
    (r) => has('half')(r) && isFew(r),
  ],
  ['not common', { ...bool, mustNot: [word('common')] }, (row) => !has('common')(row)],
];

/** Below 0 where a row comes first: missing values last, ties by key. */
function compare(a: Row, b: Row, column: number, desc: boolean): number {
  const [x, y] = [a.values[column]!, b.values[column]!];
  if (x !== y) {
    if (x === null || y === null) return x === null ? 1 : -1;
    return desc ? y - x : x - y;
  }
  return a.key < b.key ? -1 : 1;
}

const keysOf = (docs: readonly { readonly key: Uint8Array }[]): readonly string[] =>
  docs.map(({ key }) => Buffer.from(key).toString());

/** Holds pages of a query by every column to the sorted rows. */
function expectPages(clause: Clause, matches: (row: Row) => boolean): void {
  const filters = new FilterCache();
  for (const [filter, allows] of [
    [null, () => true],
    [tagged('b'), (row: Row) => row.tag === 'b'],
  ] as const) {
    const rows = live.filter((row) => matches(row) && allows(row));
    for (const [column, field] of COLUMNS.entries()) {
      for (const desc of [true, false]) {
        const sorted = rows.toSorted((a, b) => compare(a, b, column, desc)).map(({ key }) => key);
        const order = [{ kind: 'field', desc, field }] as const;
        const ask = executionPlan(clause, { filter, filters, order, limit: 12 });
        const counted = execute(segments, ask);
        expect(counted.total).toBe(rows.length);
        expect(keysOf(counted.docs)).toEqual(sorted.slice(0, 12));
        const first = execute(segments, { ...ask, total: false });
        expect(keysOf(first.docs)).toEqual(sorted.slice(0, 12));
        const after = first.docs.at(-1);
        const next = execute(segments, { ...ask, total: false, after: after ?? null });
        expect(keysOf(next.docs)).toEqual(after === undefined ? [] : sorted.slice(12, 24));
      }
    }
  }
}

describe('pages by a column', () => {
  test.each(QUERIES)('of "%s" are the sorted rows for every column', (_, clause, matches) => {
    expectPages(clause, matches);
  });
});

describe('repeated sorts by a column', () => {
  beforeAll(() => {
    for (const field of [...COLUMNS, TAG]) {
      for (const desc of [true, false]) {
        const order = [{ kind: 'field', desc, field }] as const;
        const ask = executionPlan({ kind: 'all', boost: 1 }, { order, limit: 1 });
        for (let i = 0; i <= ASKS_BEFORE_ORDER; i++) execute(segments, ask);
      }
    }
  });

  test.each(QUERIES)('pages of "%s" are the same', (_, clause, matches) => {
    expectPages(clause, matches);
  });

  test('pages by two columns, and by one that has few values, are the sorted rows', () => {
    const rows = live.filter(has('half'));
    for (const desc of [true, false]) {
      const order: readonly SortKey[] = [
        { kind: 'field', desc, field: TAG },
        { kind: 'field', desc: !desc, field: COLUMNS[4]! },
      ];
      const sorted = rows.toSorted((a, b) => {
        const tags = a.tag === b.tag ? 0 : a.tag < b.tag ? -1 : 1;
        return (desc ? -tags : tags) || compare(a, b, 4, !desc);
      });
      let after: SearchAfter | null = null;
      for (let from = 0; from < 3000; from += 500) {
        const ask = executionPlan(word('half'), { order, limit: 500, after, total: false });
        const { docs } = execute(segments, ask);
        expect(keysOf(docs)).toEqual(sorted.slice(from, from + 500).map(({ key }) => key));
        after = docs.at(-1)!;
      }
    }
  });
});

describe('a scroll that reads pages ahead', () => {
  const all: Clause = { kind: 'all', boost: 1 };
  const filters = new FilterCache();

  /** Keys of all pages. */
  function scroll(clause: Clause, order: readonly SortKey[], limit: number, hits: number) {
    const request = { sort: order, limit, hits, clause } as unknown as SearchRequest;
    const keys: string[] = [];
    let after: SearchAfter | null = null;
    for (;;) {
      const plan = executionPlan(clause, { order, limit, filters });
      const ahead = { hits, groups: 1 };
      const named = { request, tenant: undefined };
      const { docs }: Execution =
        after === null
          ? execute(segments, plan)
          : inOneTurn(executingPage(segments, { ...plan, after }, named, ahead));
      keys.push(...keysOf(docs));
      if (docs.length < limit) return keys;
      after = docs.at(-1)!;
    }
  }

  test.each([
    [100, 700],
    [300, 2500],
    [1000, 1500],
    [1000, 1000],
    [2500, 65_536],
  ])('in pages of %i, at most %i hits a search, is the sorted rows', (limit, most) => {
    for (const [column, field] of [...COLUMNS.entries()].slice(2)) {
      const rising = [{ kind: 'field', desc: false, field }] as const;
      const sorted = live.toSorted((a, b) => compare(a, b, column, false));
      expect(scroll(all, rising, limit, most)).toEqual(sorted.map(({ key }) => key));
    }
    const [random, few] = [COLUMNS[2]!, COLUMNS[3]!];
    const both = [
      { kind: 'field', desc: false, field: few },
      { kind: 'field', desc: true, field: random },
    ] as const;
    const rows = live.filter(has('half')).toSorted((a, b) => {
      return a.values[3]! - b.values[3]! || compare(a, b, 2, true);
    });
    expect(scroll(word('half'), both, limit, most)).toEqual(rows.map(({ key }) => key));
    const byKey = live.map(({ key }) => key).sort();
    expect(scroll(all, [{ kind: 'key', desc: false }], limit, most)).toEqual(byKey);
  });
});

describe('counts of column values', () => {
  test('keep scores and order of the other hits under a filter', () => {
    for (const words of [['common'], ['list', 'rare'], ['common', 'half', 'list']]) {
      const clause = anyOf(...words);
      const limit = DOCS;
      const all = execute(segments, executionPlan(clause, { limit }));
      const tags = new Map(live.map(({ key, tag }) => [key, tag]));
      const wanted = all.docs.filter((doc) => tags.get(keysOf([doc])[0]!) === 'b');
      const ask = executionPlan(clause, { filter: tagged('b') });
      for (const total of [true, false]) {
        const found = execute(segments, { ...ask, total });
        expect(keysOf(found.docs)).toEqual(keysOf(wanted.slice(0, 10)));
        expect(found.docs.map(({ score }) => score)).toEqual(
          wanted.slice(0, 10).map(({ score }) => score),
        );
        if (total) expect(found.total).toBe(wanted.length);
      }
    }
  });

  test('are equal by bitmap and by visit', () => {
    const [reader] = snapshot.segments;
    const column = reader!.ordinals(TAG.id)!;
    const matches = new Int32Array(8 * Math.ceil(DOCS / 256));
    for (let doc = 0; doc < DOCS; doc++) if (below(4) > 0) matches[doc >> 5]! |= 1 << (doc & 31);
    const counts = countValues(column, reader!.inverted(TAG.id), matches);
    const visits = new Int32Array(column.size + 1);
    forEachBit(matches, (doc) => visits[column.codes![doc]]++);
    expect(counts).toEqual(visits.slice(1));
    expect(countValues(column, reader!.inverted(TAG.id), new Int32Array(matches.length))).toBe(
      null,
    );
  });
});
