// @module-tag campaign
/**
 * Aggregations and collapse over fields with about as many values as documents, in one segment and
 * in three, against brute force over plain arrays; and the time limit of every way to search.
 */

import { type AggSpecs, LhsError, type SearchRequest } from '@lakehouse-search/contract';
import {
  checkAggregateRequest,
  checkFacetsRequest,
  checkSearchRequest,
  checkSuggestRequest,
} from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { filesNamed } from '../../../../test/support/files-named.ts';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import { simpleAnalyzer } from '../../src/analysis/simple.ts';
import { LIMITS } from '../../src/base/limits.ts';
import type { Clock } from '../../src/base/time/clock.ts';
import { Deadline } from '../../src/base/time/deadline.ts';
import { type IndexSnapshot, openSnapshot } from '../../src/index/index-snapshot.ts';
import { IndexWriter } from '../../src/index/index-writer.ts';
import type { FieldBlock } from '../../src/schema/field-block.ts';
import type { FieldPlan } from '../../src/schema/field-plan.ts';
import type { Mapping } from '../../src/schema/mapping.ts';
import type { SearchContext } from '../../src/search/context.ts';
import { searchIndex } from '../../src/search/search.ts';
import { suggestIndex } from '../../src/search/suggest.ts';
import { aggregateIndex, facetIndex } from '../../src/search/summarize.ts';
import { localShards } from '../../src/shard/local-shard.ts';

/** More than 16,384: the steps between two looks at the clock. */
const DOCS = 36_000;
const GROUPS = 200;

interface Doc {
  readonly key: string;
  readonly low: string;
  readonly tag: string | null;
  readonly num: bigint | null;
  readonly big: bigint;
  readonly body: string;
}

const mixed = (i: number, multiplier: number): number => Math.imul(i + 1, multiplier) >>> 0;
/** Two documents in three have a tag of their own; the rest share theirs with a few others. */
const DOCUMENTS = Array.from({ length: DOCS }, (_, i): Doc => {
  const shared = i % 3 === 0 ? i % 4000 : i;
  return {
    key: String(mixed(i, 2246822507) % 1e8).padStart(8, '0') + String(i).padStart(6, '0'),
    low: `g${mixed(i, 668265263) % GROUPS}`,
    tag: i % 101 === 0 ? null : `t${(mixed(shared, 2654435761) % 1e9).toString(36)}`,
    num: i % 103 === 0 ? null : BigInt(mixed(shared, 3266489917)),
    big: BigInt(mixed(shared, 374761393)) * 1_009_003_027n - 2n ** 62n,
    body: `word${i % 7} w${i.toString(36)}x${mixed(i, 2654435761).toString(36)}`,
  };
});

const field = (id: number, name: string, type: FieldPlan['type']): FieldPlan => ({
  ...{ id, name, type, stored: type === 'TEXT' },
  inverted:
    type === 'TEXT'
      ? { kind: 'text', analyzer: simpleAnalyzer }
      : type === 'KEYWORD'
        ? { kind: 'keyword' }
        : null,
  column: type === 'TEXT' ? null : type === 'KEYWORD' ? 'ordinal' : 'numeric',
});
const PLANS = [
  field(1, 'low', 'KEYWORD'),
  field(2, 'tag', 'KEYWORD'),
  field(3, 'num', 'LONG'),
  field(4, 'big', 'LONG'),
  field(5, 'body', 'TEXT'),
];
const MAPPING = {
  definition: { index: 'many' },
  key: { partition: [], identifier: ['id'] },
  columns: [
    { name: 'id', type: { kind: 'long' } },
    ...PLANS.map(({ name }) => ({ name, type: { kind: 'string' } })),
  ],
  defaultFields: ['body'],
  fields: PLANS.map((plan) => ({
    plan,
    definition: { name: plan.name, fast: plan.column !== null, cached: plan.stored },
    source: { kind: 'columns', columns: [plan.id] },
  })),
} as unknown as Mapping;

const texts = (values: readonly (string | null)[]): FieldBlock & { readonly kind: 'bytes' } => {
  const present = values.filter((value) => value !== null);
  const offsets = Int32Array.from([0, ...present.map((value) => Buffer.byteLength(value))]);
  for (let i = 1; i < offsets.length; i++) offsets[i] += offsets[i - 1];
  return { kind: 'bytes', starts: starts(values), offsets, bytes: Buffer.from(present.join('')) };
};
const starts = (values: readonly unknown[]): Int32Array => {
  const sums = new Int32Array(values.length + 1);
  values.forEach((value, i) => {
    sums[i + 1] = sums[i] + (value === null ? 0 : 1);
  });
  return sums;
};
const longs = (values: readonly (bigint | null)[]): FieldBlock => ({
  kind: 'long',
  starts: starts(values),
  values: BigInt64Array.from(values.filter((value) => value !== null)),
});

function open(segments: number): IndexSnapshot {
  const directory = new MemoryDirectory(plainArena());
  const writer = IndexWriter.open(directory, PLANS);
  const size = DOCS / segments;
  for (let from = 0; from < DOCS; from += size) {
    const docs = DOCUMENTS.slice(from, from + size);
    const keys = texts(docs.map(({ key }) => key));
    writer.add({
      docs: docs.length,
      keyOffsets: keys.offsets,
      keyBytes: keys.bytes,
      files: new Int32Array(docs.length),
      positions: Int32Array.from(docs, (_, i) => from + i),
      hashes: new BigUint64Array(docs.length),
      fields: new Map<string, FieldBlock>([
        ['low', texts(docs.map(({ low }) => low))],
        ['tag', texts(docs.map(({ tag }) => tag))],
        ['num', longs(docs.map(({ num }) => num))],
        ['big', longs(docs.map(({ big }) => big))],
        ['body', texts(docs.map(({ body }) => body))],
      ]),
    });
    writer.flush();
  }
  writer.commit({ checkpoint: null, files: filesNamed('f') });
  writer.close();
  const snapshot = openSnapshot(directory);
  expect(snapshot.segments).toHaveLength(segments);
  return snapshot;
}

const snapshots = new Map<number, IndexSnapshot>();
beforeAll(() => {
  for (const segments of [1, 3]) snapshots.set(segments, open(segments));
});
afterAll(() => {
  for (const snapshot of snapshots.values()) snapshot.release();
});

const contextOf = (segments: number, clock?: Pick<Clock, 'ticks'>): SearchContext => {
  const snapshot = snapshots.get(segments)!;
  if (clock === undefined) return searchContext(MAPPING, snapshot);
  const shards = localShards(snapshot, MAPPING, { clock });
  const deadline = new Deadline(LIMITS.queryMillis, clock);
  return searchContext(MAPPING, snapshot, { shards, deadline });
};

type Name = 'low' | 'tag' | 'num' | 'big';
type Value = string | bigint;
const rising = (a: Value, b: Value) => (a < b ? -1 : a > b ? 1 : 0);
const wire = (value: Value) =>
  typeof value === 'string' || value > 2n ** 53n || value < -(2n ** 53n)
    ? String(value)
    : Number(value);

interface Counted {
  readonly value: Value;
  readonly docs: readonly Doc[];
}

/** Documents by value. */
function grouped(docs: readonly Doc[], name: Name, missing?: Value): readonly Counted[] {
  const groups = new Map<Value, Doc[]>();
  for (const doc of docs) {
    const value = doc[name] ?? missing;
    if (value === undefined) continue;
    const known = groups.get(value);
    if (known === undefined) groups.set(value, [doc]);
    else known.push(doc);
  }
  return [...groups].map(([value, own]) => ({ value, docs: own }));
}

const ORDERS = {
  most: { spec: { _count: 'desc' }, by: (a: Counted, b: Counted) => b.docs.length - a.docs.length },
  least: { spec: { _count: 'asc' }, by: (a: Counted, b: Counted) => a.docs.length - b.docs.length },
  first: { spec: { _key: 'asc' }, by: () => 0 },
  last: { spec: { _key: 'desc' }, by: (a: Counted, b: Counted) => rising(b.value, a.value) },
} as const;

/** Groups of all documents in an order, made once: most tests compare several answers with them. */
const ofAll = new Map<string, readonly Counted[]>();

function ordered(docs: readonly Doc[], name: Name, order: keyof typeof ORDERS, missing?: Value) {
  const kind = `${name} ${order} ${missing}`;
  const made =
    (docs === DOCUMENTS ? ofAll.get(kind) : undefined) ??
    grouped(docs, name, missing).toSorted(
      (a, b) => ORDERS[order].by(a, b) || rising(a.value, b.value),
    );
  if (docs === DOCUMENTS) ofAll.set(kind, made);
  return made;
}

function expectedTerms(
  docs: readonly Doc[],
  name: Name,
  { order, size, missing }: { order: keyof typeof ORDERS; size: number; missing?: Value },
  inner?: (docs: readonly Doc[]) => unknown,
) {
  const groups = ordered(docs, name, order, missing);
  const shown = groups.slice(0, size);
  return {
    buckets: shown.map(({ value, docs: own }) => ({
      key: wire(value),
      doc_count: own.length,
      ...(inner === undefined ? {} : { aggs: { i: inner(own) } }),
    })),
    sum_other_doc_count: groups.slice(size).reduce((sum, { docs: own }) => sum + own.length, 0),
    doc_count_error_upper_bound: 0,
  };
}

async function aggregate(segments: number, aggs: unknown, filter?: string): Promise<unknown> {
  const request = { aggs: aggs as AggSpecs, ...(filter === undefined ? {} : { filter }) };
  return (await aggregateIndex(contextOf(segments), checkAggregateRequest(request))).results;
}

const FEW = DOCUMENTS.filter(({ low }) => low === 'g7');
const NAMES: readonly Name[] = ['tag', 'num', 'big', 'low'];
const SEGMENTS = byEffort([3], [1, 3]);

describe.each(SEGMENTS)('aggregations over many values in %i segment(s)', (segments) => {
  it.each(NAMES)('terms of %s in every order, with and without a missing value', async (name) => {
    const inner = DOCUMENTS.find((doc) => doc[name] !== null)![name]!;
    for (const order of Object.keys(ORDERS) as (keyof typeof ORDERS)[]) {
      for (const missing of [undefined, inner, typeof inner === 'string' ? 'm' : 12_345n]) {
        const more = missing === undefined ? {} : { missing: wire(missing) };
        const { spec } = ORDERS[order];
        const aggs = { a: { terms: { field: name, size: 25, order: spec, ...more } } };
        const wanted = (docs: readonly Doc[]) => ({
          a: expectedTerms(docs, name, { order, size: 25, missing }),
        });
        expect(await aggregate(segments, aggs), `${order} ${missing}`).toEqual(wanted(DOCUMENTS));
        expect(await aggregate(segments, aggs, 'low:g7')).toEqual(wanted(FEW));
      }
    }
  });

  it.each(NAMES)('distinct values of %s, exactly', async (name) => {
    const aggs = { c: { cardinality: { field: name } } };
    const value = grouped(DOCUMENTS, name).length;
    expect(await aggregate(segments, aggs)).toEqual({ c: { value, exact: true } });
    const few = { c: { value: grouped(FEW, name).length, exact: true } };
    expect(await aggregate(segments, aggs, 'low:g7')).toEqual(few);
  });

  it.each(NAMES)('what is nested in terms of %s: for the buckets that are shown', async (name) => {
    const order = 'most';
    for (const other of NAMES) {
      const terms = { i: { terms: { field: other, size: 5 } } };
      const nested = { a: { terms: { field: name, size: 8 }, aggs: terms } };
      const inner = (docs: readonly Doc[]) => expectedTerms(docs, other, { order, size: 5 });
      const wanted = expectedTerms(DOCUMENTS, name, { order, size: 8 }, inner);
      expect(await aggregate(segments, nested), other).toEqual({ a: wanted });
      const counted = {
        a: { terms: { field: name, size: 300 }, aggs: { i: { cardinality: { field: other } } } },
      };
      const distinct = (docs: readonly Doc[]) => ({
        value: grouped(docs, other).length,
        exact: true,
      });
      const all = expectedTerms(DOCUMENTS, name, { order, size: 300 }, distinct);
      expect(await aggregate(segments, counted), other).toEqual({ a: all });
    }
  });
});

const collapsed = (request: Partial<SearchRequest>) =>
  checkSearchRequest({ query: '*:*', limit: 50, ...request });

describe.each(SEGMENTS)('collapse by many values in %i segment(s)', (segments) => {
  it.each([
    ...NAMES.map((name) => [name, '_key', false] as const),
    ...NAMES.map((name) => [name, 'big', true] as const),
    ['tag', 'num', false] as const,
  ])('by %s, ordered by %s, falling: %s; page after page', async (name, sort, desc) => {
    const by = (a: Doc, b: Doc) => {
      const [x, y] = sort === '_key' ? [null, null] : [a[sort], b[sort]];
      if (x === null || y === null) return (x === null ? 1 : 0) - (y === null ? 1 : 0);
      return desc ? rising(y, x) : rising(x, y);
    };
    const ordered = DOCUMENTS.toSorted((a, b) => by(a, b) || rising(a.key, b.key));
    const groups = new Map<Value | null, { first: Doc; count: number }>();
    for (const doc of ordered) {
      const known = groups.get(doc[name]);
      if (known === undefined) groups.set(doc[name], { first: doc, count: 1 });
      else known.count++;
    }
    const wanted = [...groups.values()].map(({ first, count }) => [first.key, count]);
    const found: unknown[] = [];
    let after: SearchRequest['search_after'];
    while (found.length < Math.min(wanted.length, 200)) {
      const request = { collapse: name, sort: [{ field: sort, desc }], search_after: after };
      const { hits, total } = await searchIndex(contextOf(segments), collapsed(request));
      expect(total).toBe(DOCS);
      if (hits.length === 0) break;
      found.push(...hits.map((hit) => [hit.coordinates.identifier[0]!.value, hit.collapse!.count]));
      after = hits.at(-1)!.sort;
    }
    expect(found).toEqual(wanted.slice(0, found.length));
    expect(found.length).toBeGreaterThanOrEqual(Math.min(wanted.length, 200));
  });
});

/** Time passes only when the clock is read: each reading from number `over` on is a limit later. */
const clockUntil = (over: number) => {
  const clock = {
    looks: 0,
    ticks: () => Math.max(0, ++clock.looks - over) * (LIMITS.queryMillis + 1),
  };
  return clock;
};

type Ask = (context: SearchContext) => Promise<unknown>;
const search =
  (request: Partial<SearchRequest>): Ask =>
  (context) =>
    searchIndex(context, checkSearchRequest(request));
const aggs =
  (own: unknown): Ask =>
  (context) =>
    aggregateIndex(context, checkAggregateRequest({ aggs: own }));
const terms = (name: Name, more: object = {}, sub?: unknown) => ({
  a: { terms: { field: name, ...more }, ...(sub === undefined ? {} : { aggs: sub }) },
});

const WAYS: readonly (readonly [string, Ask])[] = [
  ['collapse by a keyword', search({ query: '*:*', collapse: 'tag' })],
  ['collapse by a number', search({ query: '*:*', collapse: 'big' })],
  ['collapse with scores', search({ query: 'word1 word2', collapse: 'low' })],
  ['facets', (context) => facetIndex(context, checkFacetsRequest({ fields: ['tag', 'num'] }))],
  ['terms of a keyword', aggs(terms('tag'))],
  ['terms of a wide number', aggs(terms('big'))],
  ['terms in terms', aggs(terms('low', {}, terms('tag')))],
  ['distinct values in terms', aggs(terms('tag', {}, { c: { cardinality: { field: 'big' } } }))],
  ['stats in terms', aggs(terms('low', {}, { s: { stats: { field: 'num' } } }))],
  ['percentiles', aggs({ p: { percentiles: { field: 'big' } } })],
  ['ranges', aggs({ r: { range: { field: 'num', ranges: [{ from: 5 }] } } })],
  ['a prefix', search({ query: 'w*' })],
  ['a wildcard', search({ query: '*1*x*' })],
  ['a regex', search({ query: '/.*[0-9]x.*/' })],
  ['a fuzzy word', search({ query: 'w1abxz~2' })],
  ['a pattern beside a word', search({ query: 'word1 AND *1*' })],
  ['any of several words', search({ query: 'word1 word2 word3' })],
  [
    'more words than a kernel takes',
    search({ query: 'word0 word1 word2 word3 word4 wzz wzy wzx' }),
  ],
  ['all of several words', search({ query: 'word1 AND NOT word2' })],
  ['a phrase with slop', search({ query: '"word1 w1"~3 word2' })],
  ['an order by a column', search({ query: 'word1 AND big:[0 TO *]', sort: [{ field: 'num' }] })],
  ['highlights', search({ query: 'word1', highlight: { fields: ['body'] } })],
  [
    'suggestions by prefix',
    (context) =>
      suggestIndex(context, checkSuggestRequest({ field: 'body', text: 'w', limit: 30 })),
  ],
  [
    'fuzzy suggestions',
    (context) =>
      suggestIndex(context, checkSuggestRequest({ field: 'body', text: 'word', fuzzy: true })),
  ],
];

describe.each(SEGMENTS)('the time limit of a query over %i segment(s)', (segments) => {
  it.each(WAYS)('%s: ends the search at whichever look at the clock', async (_, ask) => {
    // What is kept for later searches is made first.
    await ask(contextOf(segments));
    const whole = clockUntil(Number.POSITIVE_INFINITY);
    await ask(contextOf(segments, whole));
    // One look begins the deadline.
    expect(whole.looks).toBeGreaterThan(1);
    for (const over of new Set([1, whole.looks >> 1, whole.looks - 1])) {
      if (over < 1) continue;
      const error = await ask(contextOf(segments, clockUntil(over))).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error, `after ${over} of ${whole.looks} looks`).toBeInstanceOf(LhsError);
      expect(error).toMatchObject({ code: 'limit_exceeded', details: { limit: 'queryMillis' } });
    }
  });
});
