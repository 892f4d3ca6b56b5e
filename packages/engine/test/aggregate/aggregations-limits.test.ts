// @module-tag campaign
/**
 * Limits of aggregations at the edge and one past it, values at the ends of their types, requests
 * that are wrong.
 */

import {
  type AggregateRequest,
  type FacetsRequest,
  type JsonObject,
  LhsError,
} from '@lakehouse-search/contract';
import { checkAggregateRequest, checkFacetsRequest } from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesNamed } from '../../../../test/support/files-named.ts';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import { LIMITS } from '../../src/base/limits.ts';
import { type IndexSnapshot, openSnapshot } from '../../src/index/index-snapshot.ts';
import { IndexWriter } from '../../src/index/index-writer.ts';
import type { FieldBlock } from '../../src/schema/field-block.ts';
import type { FieldPlan } from '../../src/schema/field-plan.ts';
import type { Mapping } from '../../src/schema/mapping.ts';
import { aggregateIndex, facetIndex } from '../../src/search/summarize.ts';

const BUCKETS = LIMITS.aggBuckets;
const DOCS = BUCKETS + 1;
const field = (id: number, name: string, type: FieldPlan['type'], column = true): FieldPlan => ({
  ...{ id, name, type, inverted: type === 'KEYWORD' ? { kind: 'keyword' } : null, stored: false },
  column: column ? (type === 'KEYWORD' ? 'ordinal' : 'numeric') : null,
});
const PLANS = [
  field(1, 'at', 'DATE'),
  field(2, 'n', 'LONG'),
  field(3, 'tag', 'KEYWORD'),
  field(4, 'slow', 'KEYWORD', false),
];
const MAPPING = {
  definition: { index: 'edges' },
  key: { partition: [], identifier: ['id'] },
  columns: [
    { name: 'id', type: { kind: 'long' } },
    ...PLANS.map(({ name }) => ({ name, type: { kind: 'string' } })),
  ],
  defaultFields: [],
  fields: PLANS.map((plan) => ({
    plan,
    definition: { name: plan.name, fast: plan.column !== null },
    source: { kind: 'columns', columns: [plan.id] },
  })),
} as unknown as Mapping;

const I64_MAX = 2n ** 63n - 1n;
const I64_MIN = -(2n ** 63n);
/** Document d: second d, d mod 4 picks an edge of LONG, every tag its own. */
const EDGES = [I64_MIN, I64_MAX, 0n, -1n];

let snapshot: IndexSnapshot;
beforeAll(() => {
  const directory = new MemoryDirectory(plainArena());
  const writer = IndexWriter.open(directory, PLANS);
  const numbers = Array.from({ length: DOCS }, (_, i) => i);
  const bytes = (texts: readonly string[]): FieldBlock => ({
    kind: 'bytes',
    starts: Int32Array.from({ length: DOCS + 1 }, (_, i) => i),
    offsets: Int32Array.from({ length: DOCS + 1 }, (_, i) => i * 8),
    bytes: Buffer.from(texts.join('')),
  });
  const long = (values: readonly bigint[]): FieldBlock => ({
    kind: 'long',
    starts: Int32Array.from({ length: DOCS + 1 }, (_, i) => i),
    values: BigInt64Array.from(values),
  });
  const names = numbers.map((i) => String(i).padStart(8, '0'));
  writer.add({
    docs: DOCS,
    keyOffsets: Int32Array.from({ length: DOCS + 1 }, (_, i) => i * 8),
    keyBytes: Buffer.from(names.join('')),
    files: new Int32Array(DOCS),
    positions: Int32Array.from(numbers),
    hashes: new BigUint64Array(DOCS),
    fields: new Map([
      ['at', long(numbers.map((i) => BigInt(i) * 1_000_000n))],
      ['n', long(numbers.map((i) => EDGES[i % 4]))],
      ['tag', bytes(names)],
      ['slow', bytes(names)],
    ]),
  });
  writer.commit({ checkpoint: null, files: filesNamed('f') });
  writer.close();
  snapshot = openSnapshot(directory);
});
afterAll(() => snapshot.release());

const context = () => searchContext(MAPPING, snapshot);
const ask = async (aggs: unknown, more: Partial<AggregateRequest> = {}) =>
  (await aggregateIndex(context(), checkAggregateRequest({ aggs, ...more }))).results as Record<
    string,
    never
  >;
const facets = async (request: FacetsRequest) => facetIndex(context(), checkFacetsRequest(request));

async function refusal(asked: Promise<unknown>): Promise<LhsError> {
  const error = await asked.then(
    () => null,
    (e: unknown) => e,
  );
  if (error instanceof LhsError) return error;
  throw error ?? new Error('it was not refused');
}

describe('limits of aggregations', () => {
  it('allow the greatest number of buckets and name the limit at one more', async () => {
    const seconds = (zone?: string): JsonObject => ({
      date_histogram: {
        field: 'at',
        ...(zone === undefined
          ? { fixed_interval: '1s' }
          : { calendar_interval: 'minute', time_zone: zone }),
      },
    });
    const all = await refusal(ask({ s: seconds() }));
    expect(all).toMatchObject({ code: 'limit_exceeded', details: { limit: 'aggBuckets' } });
    expect(all.message).toContain('"s" passes the limit of 65536 buckets');
    const most = await ask({ s: seconds() }, { filter: 'NOT tag:00000007' });
    expect((most.s as { buckets: unknown[] }).buckets).toHaveLength(BUCKETS);
    const two = await refusal(
      ask({ s: seconds(), m: seconds('UTC') }, { filter: 'NOT tag:00000007' }),
    );
    expect(two.message).toContain('"m" passes the limit');
    const filled: JsonObject = { field: 'at', fixed_interval: '1us', min_doc_count: 0 };
    const gaps = await refusal(
      ask({ g: { date_histogram: filled } }, { filter: 'tag:(00000001 OR 00000002)' }),
    );
    expect(gaps.message).toContain('"g" passes the limit');
  });

  it('stop nested aggregations at the buckets of the response', async () => {
    const aggs = { inner: { terms: { field: 'n', size: 1 } } };
    const error = await refusal(ask({ t: { terms: { field: 'tag', size: 40_000 }, aggs } }));
    expect(error.details).toMatchObject({ limit: 'aggBuckets' });
  });

  it.each<readonly [string, (n: number) => unknown, number]>([
    ['terms size', (size) => ({ a: { terms: { field: 'n', size } } }), BUCKETS],
    [
      'depth',
      (depth) => {
        let aggs: JsonObject = { a: { missing: { field: 'n' } } };
        for (let i = 1; i < depth; i++) aggs = { a: { missing: { field: 'n' }, aggs } };
        return aggs;
      },
      LIMITS.aggDepth,
    ],
    [
      'aggregations',
      (n) =>
        Object.fromEntries(
          Array.from({ length: n }, (_, i) => [`a${i}`, { missing: { field: 'n' } }]),
        ),
      LIMITS.aggNodes,
    ],
    [
      'ranges',
      (n) => ({
        a: { range: { field: 'n', ranges: Array.from({ length: n }, (_, i) => ({ from: i })) } },
      }),
      LIMITS.aggRanges,
    ],
    [
      'percents',
      (n) => ({
        a: { percentiles: { field: 'n', percents: Array.from({ length: n }, () => 50) } },
      }),
      LIMITS.aggPercents,
    ],
  ])('%s: accept the limit and refuse one more', async (_, aggs, most) => {
    await ask(aggs(most), { filter: 'tag:00000001' });
    expect((await refusal(ask(aggs(most + 1)))).code).toBe('limit_exceeded');
  });

  it('allow 12 facet fields of 100 values, refuse more, skip uncountable fields', async () => {
    const twelve = Array.from({ length: 12 }, () => 'n');
    await facets({ fields: twelve, size: 100 });
    expect((await refusal(facets({ fields: [...twelve, 'n'] }))).code).toBe('limit_exceeded');
    expect((await refusal(facets({ fields: ['n'], size: 101 }))).code).toBe('limit_exceeded');
    const answer = await facets({ fields: ['slow', 'tag'], size: 1 });
    expect(answer.facets).toEqual([
      { field: 'tag', buckets: [{ value: '00000000', count: 1 }], other_count: DOCS - 1 },
    ]);
    expect((await refusal(facets({ fields: ['tga'] }))).hint).toContain('did you mean "tag"?');
  });

  it('keep counts and sums at the ends of LONG exact', async () => {
    const aggs = { t: { terms: { field: 'n' } }, s: { stats: { field: 'n' } } };
    const { t, s } = (await ask(aggs, { filter: 'at:[0 TO 3000000]' })) as never as {
      t: { buckets: unknown };
      s: object;
    };
    const keys = [String(I64_MIN), -1, 0, String(I64_MAX)];
    expect(t.buckets).toEqual(keys.map((key) => ({ key, doc_count: 1 })));
    expect(s).toEqual({ count: 4, min: String(I64_MIN), max: String(I64_MAX), sum: -2, avg: -0.5 });
    const range = {
      r: { range: { field: 'n', ranges: [{ to: String(I64_MIN) }, { from: String(I64_MAX) }] } },
    };
    const { r } = (await ask(range, { filter: 'at:[0 TO 3000000]' })) as never as {
      r: { buckets: { doc_count: number }[] };
    };
    expect(r.buckets.map((b) => b.doc_count)).toEqual([0, 1]);
  });

  it('keep counts of very many values exact', async () => {
    const aggs = {
      t: { terms: { field: 'tag', size: 2, order: { _key: 'desc' } } },
      c: { cardinality: { field: 'tag' } },
    };
    const { t, c } = (await ask(aggs)) as never as {
      t: { buckets: { key: string }[]; sum_other_doc_count: number };
      c: { value: number; exact: boolean };
    };
    expect(t.buckets.map((b) => b.key)).toEqual(['00065536', '00065535']);
    expect(t.sum_other_doc_count).toBe(DOCS - 2);
    expect(c).toEqual({ value: DOCS, exact: true });
  });

  it.each<readonly [unknown, string]>([
    [[], '"aggs" is []: expected an object'],
    ['{"a": ', '"aggs", a text, is not JSON'],
    [{ a: {} }, '"aggs.a" has no kind'],
    [{ a: { terms: { field: 'n' }, stats: { field: 'n' } } }, 'has kinds "terms", "stats"'],
    [{ a: { terms: {} } }, '"aggs.a.terms.field" is missing: expected a string'],
    [
      { a: { terms: { field: 'n', size: 0 } } },
      '"aggs.a.terms.size" is 0: expected a whole number',
    ],
    [{ a: { terms: { field: 'n', order: { _cuont: 'asc' } } } }, 'did you mean "_count"?'],
    [
      { a: { terms: { field: 'n', order: { _count: 'up' } } } },
      'expected {"_count", "_key" or a figure',
    ],
    [{ a: { terms: { field: 'n', missing: 'x' } } }, 'is "x": expected an integer'],
    [{ a: { terms: { field: 'slow' } } }, 'needs a fast field: "slow" is KEYWORD without fast'],
    [
      { a: { stats: { field: 'tag' } } },
      'stats needs a field of LONG, DOUBLE, DATE; "tag" is KEYWORD',
    ],
    [{ a: { date_histogram: { field: 'n', fixed_interval: '1d' } } }, 'needs a field of DATE'],
    [{ a: { date_histogram: { field: 'at' } } }, 'needs "fixed_interval" or "calendar_interval"'],
    [
      { a: { date_histogram: { field: 'at', fixed_interval: '5us', time_zone: 'UTC' } } },
      'in whole milliseconds',
    ],
    [
      { a: { date_histogram: { field: 'at', calendar_interval: 'mnth' } } },
      'did you mean "month"?',
    ],
    [
      { a: { date_histogram: { field: 'at', calendar_interval: 'day', time_zone: 'Nowhere' } } },
      'expected an IANA zone',
    ],
    [{ a: { range: { field: 'n', ranges: [] } } }, 'expected an array of {key, from, to}'],
    [{ a: { range: { field: 'n', ranges: [{ from: 2, to: 1 }] } } }, '"from" is above "to"'],
    [{ a: { percentiles: { field: 'n', percents: [101] } } }, 'expected a number from 0 to 100'],
    [{ a: { filter: 'nope:1' } }, 'field "nope" is not in index'],
  ])('refuse %j', async (aggs, message) => {
    const error = await refusal(ask(aggs));
    expect(['invalid_argument', 'invalid_query']).toContain(error.code);
    expect(error.message).toContain(message);
  });

  it('name the fields of the types that they take', async () => {
    const error = await refusal(ask({ a: { avg: { field: 'tag' } } }));
    expect(error.hint).toMatch(/^fields of LONG, DOUBLE, DATE: .*\bn\b/);
    expect(error.hint).not.toContain('tag');
  });

  it('name the setting that makes a field fast', async () => {
    const error = await refusal(ask({ a: { cardinality: { field: 'slow' } } }));
    expect(error.hint).toBe(
      'set "fast: true" on "slow" in the definition, then alter index "edges" with it',
    );
  });

  it('refuse unknown request fields', async () => {
    const error = await refusal(ask({}, { limit: 3 } as Partial<AggregateRequest>));
    expect(error.message).toContain('unknown request field "limit"');
  });
});
