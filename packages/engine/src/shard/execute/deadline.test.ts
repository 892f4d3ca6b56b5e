/**
 * Deadlines of searches over one large generated segment. The clock counts the looks at it, so the
 * tests measure work in steps and never time.
 */
import { describe, expect, it } from 'vitest';
import { MemoryDirectory } from '../../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { executionPlan } from '../../../../../test/support/search-context.ts';
import type { Aggregation } from '../../aggregate/aggregation.ts';
import { AGGREGATION_KINDS } from '../../aggregate/kinds/kinds.ts';
import { readAggregationOptions } from '../../aggregate/read/read-options.ts';
import { simpleAnalyzer } from '../../analysis/simple.ts';
import { Deadline } from '../../base/time/deadline.ts';
import { compileWildcard } from '../../query/automaton/wildcard.ts';
import type { Clause } from '../../query/bind/clause.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { SegmentReader } from '../../segment/segment-reader.ts';
import { SegmentWriter } from '../../segment/segment-writer.ts';
import { Verification } from '../../storage/verification.ts';
import { execute } from './execute.ts';
import type { ExecutionPlan } from './execution-plan.ts';
import { summarizeMatches } from './summarize-matches.ts';

const DOCS = 400_000;
const base = { column: null, inverted: null, stored: false } as const;
const text: FieldPlan = {
  ...base,
  id: 1,
  name: 'text',
  type: 'TEXT',
  inverted: { kind: 'text', analyzer: simpleAnalyzer },
};
const number: FieldPlan = { ...base, id: 2, name: 'n', type: 'LONG', column: 'numeric' };
const tag: FieldPlan = { ...base, id: 3, name: 'tag', type: 'KEYWORD', column: 'ordinal' };

/** Words of documents, in turn: all of them are frequent, and lengths differ. */
const TEXTS = ['a b c d', 'b a e f g h', 'a c b e', 'c d f a b', 'h g a', 'e a b b'];

function repeated(docs: number, of: (doc: number) => Buffer) {
  const parts = Array.from({ length: docs }, (_, doc) => of(doc));
  const offsets = new Int32Array(docs + 1);
  parts.forEach(({ length }, doc) => {
    offsets[doc + 1] = offsets[doc] + length;
  });
  return { offsets, bytes: Buffer.concat(parts) };
}

function build(): SegmentReader {
  const starts = Int32Array.from({ length: DOCS + 1 }, (_, doc) => doc);
  // in no order: with ascending keys, one term ends before a second look at the clock
  const keys = repeated(DOCS, (doc) => Buffer.from(String((doc * 7919) % DOCS).padStart(7, '0')));
  const values = TEXTS.map((value) => Buffer.from(value));
  const tags = ['x', 'y', 'z'].map((value) => Buffer.from(value));
  const writer = new SegmentWriter([text, number, tag]);
  writer.add({
    docs: DOCS,
    keyOffsets: keys.offsets,
    keyBytes: keys.bytes,
    files: new Int32Array(DOCS),
    positions: starts.slice(0, DOCS),
    hashes: new BigUint64Array(DOCS),
    fields: new Map([
      ['text', { kind: 'bytes', starts, ...repeated(DOCS, (doc) => values[doc % 6]) }],
      ['tag', { kind: 'bytes', starts, ...repeated(DOCS, (doc) => tags[doc % 3]) }],
      [
        'n',
        { kind: 'long', starts, values: BigInt64Array.from({ length: DOCS }, (_, d) => BigInt(d)) },
      ],
    ]),
  });
  const directory = new MemoryDirectory(plainArena(2 ** 28));
  const entry = writer.finish(directory, 's1');
  return SegmentReader.open(directory, entry, new Verification(directory));
}

/** An aggregation over a field, without options. */
const read = (
  kind: keyof typeof AGGREGATION_KINDS,
  field: FieldPlan,
  subs: readonly Aggregation[],
): Aggregation =>
  AGGREGATION_KINDS[kind].read({
    nested: { name: kind, subs, steps: [] },
    ...{ body: {}, path: kind },
    options: (known) => readAggregationOptions({}, kind, known),
    field: () => field,
    bindFilter: () => ({ kind: 'none' }),
  });

const segments = [build()];
const term = (word: string): Clause => {
  return { kind: 'term', field: text, term: Buffer.from(word), boost: 1 };
};
const phrase = (words: readonly string[], slop = 0): Clause => {
  const parts = words.map((word, offset) => ({ term: Buffer.from(word), offset }));
  return { kind: 'phrase', field: text, words: parts, slop, boost: 1 };
};
const bool = (parts: Partial<Clause & { kind: 'bool' }>): Clause => {
  return { kind: 'bool', must: [], should: [], mustNot: [], filter: [], minimum: 0, ...parts };
};
const any = (words: readonly string[]) => bool({ should: words.map(term), minimum: 1 });
const all = (words: readonly string[]) => bool({ must: words.map(term) });
const numbers: Clause = {
  kind: 'numbers',
  field: number,
  ranges: [{ lower: 0n, upper: BigInt(DOCS >> 1) }],
  boost: 1,
};

const plan = (clause: Clause, deadline: Deadline, more: Partial<ExecutionPlan> = {}) =>
  executionPlan(clause, { deadline, ...more });
const search = (clause: Clause, more?: Partial<ExecutionPlan>) => (deadline: Deadline) =>
  execute(segments, plan(clause, deadline, more));

const PATHS: Readonly<Record<string, (deadline: Deadline) => unknown>> = {
  'kernels of a term': search(term('b')),
  'kernels of any term': search(any(['a', 'b', 'c'])),
  'kernels of all terms': search(all(['a', 'b', 'c'])),
  'kernels of a phrase': search(phrase(['a', 'b'])),
  'kernels that count': search(phrase(['a', 'b']), { limit: 0 }),
  'four terms': search(all(['a', 'b', 'c', 'e'])),
  'the walk over many terms': search(any(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])),
  'a pattern': search({
    kind: 'pattern',
    field: text,
    automaton: compileWildcard('?'),
    boost: 1,
  } as Clause),
  'bitmaps and scores': search(bool({ must: [term('a'), numbers], should: [term('b')] })),
  'a phrase with slop': search(phrase(['a', 'b'], 2)),
  'an order by a column': search(any(['a', 'b']), {
    order: [{ kind: 'field', desc: true, field: number }],
  }),
  facets: (deadline) =>
    summarizeMatches(
      segments,
      plan(all(['a', 'b']), deadline),
      [read('terms', tag, [read('stats', number, [])])],
      true,
    ),
};

/** Runs a path until the clock was looked at `looks` times; returns how often it was. */
function looksOf(path: (deadline: Deadline) => unknown, looks: number): number {
  let seen = -1;
  const clock = { ticks: () => ++seen };
  const deadline = new Deadline(looks, clock);
  path(deadline);
  return seen;
}

describe('a search over a large segment', () => {
  it.each(Object.keys(PATHS))('looks at the clock while it runs: %s', (name) => {
    expect(looksOf(PATHS[name], Number.POSITIVE_INFINITY)).toBeGreaterThan(1);
  });

  it.each(Object.keys(PATHS))('stops at the first look after its deadline: %s', (name) => {
    const path = PATHS[name];
    const looks = looksOf(path, Number.POSITIVE_INFINITY);
    for (const end of new Set([0, 1, looks >> 1, looks - 1])) {
      let seen = -1;
      const clock = { ticks: () => ++seen };
      const late = expect.objectContaining({ code: 'limit_exceeded' });
      expect(() => path(new Deadline(end, clock))).toThrow(late);
      expect(seen).toBe(end + 1);
    }
    expect(looksOf(path, looks)).toBe(looks);
  });
});
