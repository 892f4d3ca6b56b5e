import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { simpleAnalyzer } from '../analysis/simple.ts';
import { wordsOf } from '../bitmap/bitmap.ts';
import { FIRST_SECTION_WORD, INVERTED_SECTIONS, type Section } from '../inverted/format.ts';
import { InvertedReader } from '../inverted/inverted-reader.ts';
import { InvertedWriter, POSITION_GAP } from '../inverted/inverted-writer.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import type { Arena } from '../storage/directory.ts';
import { plainArena } from '../storage/plain-arena.ts';
import type { ScoringSegment, TermMode } from './request.ts';
import { countTerms, searchTerms } from './search-terms.ts';
import { TopDocs } from './top-docs.ts';

const SEED = 20_261_121;
const encoder = new TextEncoder();
const MODES = ['term', 'or', 'and', 'phrase'] as const;

/** Values by document, and the key of each (unique, in any order). */
interface ModelDoc {
  readonly values: readonly string[];
  readonly key: string;
  readonly blocked: boolean;
}
interface Wanted {
  readonly word: string;
  readonly boost: number;
  readonly position: number;
}

function blockOf(docs: readonly ModelDoc[]): FieldBlock {
  const values = docs.flatMap((d) => d.values.map((v) => encoder.encode(v)));
  const starts = new Int32Array(docs.length + 1);
  docs.forEach((d, i) => {
    starts[i + 1] = starts[i] + d.values.length;
  });
  const offsets = new Int32Array(values.length + 1);
  values.forEach((v, i) => {
    offsets[i + 1] = offsets[i] + v.length;
  });
  return { kind: 'bytes', starts, offsets, bytes: Buffer.concat(values) };
}

/** Byte addresses of the components of open readers. */
const components = new WeakMap<InvertedReader, number>();

/** Byte address and length of a section, from the component's header. */
function sectionOf(reader: InvertedReader, name: Section): { at: number; bytes: number } {
  const start = components.get(reader)!;
  const word = (start >> 2) + FIRST_SECTION_WORD + 2 * INVERTED_SECTIONS.indexOf(name);
  return { at: start + reader.arena.i32[word], bytes: reader.arena.i32[word + 1] };
}

function segmentOf(arena: Arena, docs: readonly ModelDoc[], number: number): ScoringSegment {
  const bestDocs = number % 3 !== 2;
  const writer = new InvertedWriter({ kind: 'text', analyzer: simpleAnalyzer, bestDocs });
  writer.add(0, docs.length, blockOf(docs));
  const bytes = Buffer.concat(writer.finish(docs.length));
  const region = arena.allocate(bytes.length);
  region.bytes.set(bytes);
  const reader = InvertedReader.open(region, docs.length, 'text');
  components.set(reader, region.offset);
  const order = docs.map((_, i) => i).sort((a, b) => compare(docs[a].key, docs[b].key));
  // In the arena, as those of a mapped file: the query kernel reads them there.
  const { offset } = arena.allocate(4 * docs.length);
  const ranks = new Int32Array(arena.memory.buffer, offset, docs.length);
  order.forEach((doc, rank) => {
    ranks[doc] = rank;
  });
  const blocked = docs.some((d) => d.blocked) ? bitsFor(arena, docs.length, number) : null;
  docs.forEach((d, i) => {
    if (d.blocked && blocked !== null) blocked[i >> 5] |= 1 << (i & 31);
  });
  const rising = order.every((doc, rank) => doc === rank);
  const own = { number, reader, blocked, ranks: rising ? null : ranks };
  return { ...own, living: number % 2 ? new Map() : null };
}

/** An empty bitmap: of odd segments in the arena, of others elsewhere. */
function bitsFor(arena: Arena, docs: number, number: number): Int32Array {
  const words = wordsOf(docs);
  if (number % 2 === 0) return new Int32Array(words);
  return new Int32Array(arena.memory.buffer, arena.allocate(4 * words).offset, words).fill(0);
}

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Words with their positions. */
function tokens({ values }: ModelDoc): Map<string, number[]> {
  const found = new Map<string, number[]>();
  let position = 0;
  values.forEach((value, v) => {
    if (v > 0) position += POSITION_GAP;
    for (const word of value.match(/[a-z0-9]+/g) ?? []) {
      found.set(word, [...(found.get(word) ?? []), position++]);
    }
  });
  return found;
}

type Analysed = {
  readonly all: readonly { readonly doc: ModelDoc; readonly words: Map<string, number[]> }[];
  readonly lengths: readonly number[];
};
const known = new WeakMap<readonly ModelDoc[], Analysed>();

function analysed(docs: readonly ModelDoc[]): Analysed {
  const found = known.get(docs);
  if (found !== undefined) return found;
  const all = docs.map((doc) => ({ doc, words: tokens(doc) }));
  const lengths = all.map(({ words }) => [...words.values()].reduce((n, p) => n + p.length, 0));
  known.set(docs, { all, lengths });
  return { all, lengths };
}

/** The answer by brute force: every matching document with its score, in order. */
function oracle(docs: readonly ModelDoc[], mode: TermMode, wanted: readonly Wanted[]) {
  const used = mode === 'term' ? wanted.slice(0, 1) : wanted;
  const { all, lengths } = analysed(docs);
  const withField = lengths.filter((n) => n > 0).length;
  const average = withField === 0 ? 1 : lengths.reduce((a, b) => a + b, 0) / withField;
  const idf = (word: string) => {
    const df = all.filter(({ words }) => words.has(word)).length;
    return Math.log(1 + (withField - df + 0.5) / (df + 0.5));
  };
  const weights = used.map(({ word, boost }) => boost * idf(word));
  const hits = all.flatMap(({ doc, words }, i) => {
    const share = (weight: number, tf: number) =>
      tf === 0 ? 0 : weight * (tf / (tf + 1.2 * (0.25 + (0.75 * lengths[i]) / average)));
    const tfs = used.map(({ word }) => words.get(word)?.length ?? 0);
    const some = tfs.some((tf) => tf > 0);
    const every = tfs.every((tf) => tf > 0);
    if (doc.blocked || !some || (mode !== 'or' && !every)) return [];
    let score = weights.reduce((sum, weight, k) => sum + share(weight, tfs[k]), 0);
    if (mode === 'phrase') {
      const starts = (words.get(used[0].word) as number[]).filter((p) =>
        used.every(({ word, position }) =>
          words.get(word)?.includes(p - used[0].position + position),
        ),
      ).length;
      if (starts === 0) return [];
      score = share(
        weights.reduce((a, b) => a + b, 0),
        starts,
      );
    }
    return [{ key: doc.key, score }];
  });
  return hits.sort((a, b) => b.score - a.score || compare(a.key, b.key));
}

interface Case {
  readonly docs: readonly ModelDoc[];
  /** Documents a segment. */
  readonly sizes: readonly number[];
}

function open({ docs, sizes }: Case) {
  const arena = plainArena(16 * 2 ** 20);
  const parts: (readonly ModelDoc[])[] = [];
  let at = 0;
  for (const size of sizes) {
    parts.push(docs.slice(at, at + size));
    at += size;
  }
  const segments = parts.map((part, number) => segmentOf(arena, part, number));
  const keyOf = (segment: number, doc: number) => encoder.encode(parts[segment][doc].key);
  return { segments, keyOf, parts, used: docs.slice(0, at) };
}

/**
 * Holds an answer against the oracle: scores to 1e-9, documents in order, where equal scores may be
 * equal only nearly.
 */
function expectAnswer(
  { segments, keyOf, parts, used }: ReturnType<typeof open>,
  mode: TermMode,
  wanted: readonly Wanted[],
  pages: readonly (readonly [limit: number, skip: number])[],
): void {
  const truth = oracle(used, mode, wanted);
  const terms = wanted.map(({ word, boost, position }) => ({
    bytes: encoder.encode(word),
    boost,
    position,
  }));
  const search = { mode, terms, segments };
  expect(countTerms(search), 'count').toBe(truth.length);
  const all = new TopDocs(10_000, keyOf);
  expect(searchTerms(search, all, true), 'total').toBe(truth.length);
  const complete = all.harvest();
  const off = complete.findIndex((hit, i) => !(Math.abs(hit.score - truth[i].score) < 1e-9));
  expect(off, 'first wrong score').toBe(-1);
  for (const [limit, skip] of pages) {
    const last = skip > 0 ? complete[Math.min(skip, complete.length) - 1] : undefined;
    const after =
      last === undefined ? null : { score: last.score, key: keyOf(last.segment, last.doc) };
    const top = new TopDocs(limit, keyOf, after);
    searchTerms(search, top);
    const from = last === undefined ? 0 : Math.min(skip, complete.length);
    expect(top.harvest()).toEqual(complete.slice(from, from + limit));
  }
  const keys = complete.map(({ segment, doc }) => parts[segment][doc].key);
  expect([...keys].sort()).toEqual(truth.map(({ key }) => key).sort());
  const swapped = complete.findIndex(
    ({ score }, i) => i > 0 && score === complete[i - 1].score && compare(keys[i - 1], keys[i]) > 0,
  );
  expect(swapped, 'first tie out of order').toBe(-1);
}

const word = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'c', 'd') },
  { weight: 3, arbitrary: fc.constantFrom('e', 'f', 'g', 'h', 'i', 'j') },
  { weight: 1, arbitrary: fc.constantFrom('rare', 'rarer', 'x1', 'x2') },
);
const doc = fc.record({
  values: fc.array(
    fc.array(word, { maxLength: 9 }).map((words) => words.join(' ')),
    { maxLength: 2 },
  ),
  key: fc.uuid(),
  blocked: fc.boolean().map((b) => b),
});
const wanted = fc
  .array(
    fc.record({
      word,
      boost: fc.constantFrom(1, 1, 1, 2, 0.5),
      gap: fc.constantFrom(1, 1, 1, 2),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .map((terms) => {
    let position = 0;
    return terms.map(({ word: w, boost, gap }, i) => {
      if (i > 0) position += gap;
      return { word: w, boost, position };
    });
  });

describe('searches of terms', () => {
  it('are what brute force finds: few documents, many segments', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(doc, { selector: (d) => d.key, minLength: 1, maxLength: 60 }),
        fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 8 }),
        wanted,
        fc.constantFrom(...MODES),
        fc.constantFrom(1, 3, 10, 100),
        fc.constantFrom(0, 0, 1, 7),
        fc.boolean(),
        (docs, lengths, terms, mode, limit, skip, deletes) => {
          const used = deletes ? docs : docs.map((d) => ({ ...d, blocked: false }));
          let left = docs.length;
          const sizes = lengths.map((n) => {
            const size = Math.min(n, left);
            left -= size;
            return size;
          });
          const instance = { docs: used, sizes };
          expectAnswer(open(instance), mode, terms, [[limit, skip]]);
        },
      ),
      { seed: SEED, numRuns: byEffort(60, 600) },
    );
  });

  /**
   * Corpora in which terms are dense, lists and short; lengths vary; scores tie. If most documents
   * are deleted, those of one stretch in the middle remain: whole blocks and ranges are deleted.
   */
  function largeCase(seed: number, size: number, deleted: number): Case {
    let state = seed;
    const random = (n: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    const docs = Array.from({ length: size }, (_, i): ModelDoc => {
      const words = Array.from({ length: random(4) === 0 ? random(300) : 3 + random(6) }, () => {
        const p = random(1000);
        if (p < 500) return 'abcd'[random(4)];
        if (p < 640) return `m${random(6)}`;
        if (p < 700) return `l${random(12)}`;
        return `s${random(400)}`;
      });
      if (seed >= 18) {
        const few = ['a b', 'b a', 'a a b c', 'a l1 c', 'm1 a', 'b l1 m1', 'x y z', 'a b a b m2'];
        words.splice(0, words.length, few[random(few.length)]);
      }
      // average lengths of 3 to 20: bounds by those of the segments are far from those of the query
      const more = seed === 20 ? Math.floor((3 * i) / size) * 8 : 0;
      for (let k = random(2 * more + 1); k > 0; k--) words.push('long');
      const key = seed < 15 ? `${random(1e9)}-${i}` : String(i).padStart(8, '0');
      const outside = Math.abs(2 * i - size) > (size * (100 - deleted)) / 100;
      const blocked = deleted > 50 ? outside : random(100) < deleted;
      return { values: [words.join(' ')], key, blocked };
    });
    const third = Math.ceil(size / 3);
    if (seed === 20) return { docs, sizes: [third, third, size - 2 * third] };
    const half = random(size >> 1) + (size >> 2);
    return { docs, sizes: seed % 2 ? [size] : [half, 1, size - half - 1] };
  }

  it.each([
    [11, 3000, 0],
    [12, 3000, 0],
    [13, 3000, 96],
    [14, 3000, 40],
    [16, 3000, 2],
    [18, 2500, 0],
    [19, 2500, 2],
    [20, 4500, 0],
    [21, 2500, 92],
  ])(
    'are what brute force finds: seed %i, %i documents, %i percent deleted',
    (seed, size, deleted) => {
      const instance = largeCase(seed, size, deleted);
      const opened = open(instance);
      const queries = [
        'a',
        'm1',
        'l3',
        's7',
        'a b',
        'a m2',
        'm1 m2',
        'a l1',
        'l1 l2',
        'a s5',
        'm0 s9',
      ];
      queries.push('a b c', 'a b m1', 'a m1 l1', 'm1 l2 s3', 'b l1 l2', 'l1 l2 l3', 'a b c m1 l1');
      queries.push('a b c d m1 m2 l1 s1 s2', 'd c b a', 'a nothing', 'a a b', 'a a');
      for (const query of queries) {
        const terms = query
          .split(' ')
          .map((w, position) => ({ word: w, boost: position === 1 ? 2 : 1, position }));
        for (const mode of MODES) {
          expectAnswer(opened, mode, terms, [
            [10, 0],
            [3, 20],
            [10, 300],
            [64, 900],
            [100, 0],
          ]);
        }
      }
    },
  );

  /**
   * A corpus with lists of several blocks: spread ones, one in a stretch of documents, pairs of
   * words that occur together, lists of many blocks beside short ones. Most documents are short,
   * so scores tie.
   */
  function listCase(seed: number, deleted: number, sizes: readonly number[]): Case {
    const random = seededBelow(seed);
    const size = sizes.reduce((a, b) => a + b, 0);
    const docs = Array.from({ length: size }, (_, i): ModelDoc => {
      const words = Array.from({ length: 1 + random(3) }, () => `f${random(3000)}`);
      const add = (word: string, per1000: number) => {
        if (random(1000) < per1000) words.push(word);
      };
      add('a', 300);
      add('b', 80);
      for (const [n, per1000] of [8, 12, 20, 30, 36].entries()) add(`l${n}`, per1000);
      if (i > size / 3 && i < size / 2) add('near', 120);
      if (random(1000) < 25) words.push('git', ...(random(10) > 0 ? ['hub'] : []));
      add('hub', 3);
      add(`s${random(9)}`, 8);
      if (random(50) === 0)
        words.push(...'a l3 git hub a'.split(' '), ...Array(random(300)).fill('x'));
      const key = seed % 2 ? `${random(1e9)}-${i}` : String(i).padStart(8, '0');
      return { values: [words.join(' ')], key, blocked: random(100) < deleted };
    });
    return { docs, sizes };
  }

  it.each([
    [31, 0, [16_000]],
    [32, 2, [16_000]],
    [33, 60, [16_000]],
    [34, 0, [9000, 1, 7000]],
    [35, 2, [9000, 5000, 3000]],
  ])('of lists are what brute force finds: seed %i, %i percent deleted', (seed, deleted, sizes) => {
    const opened = open(listCase(seed, deleted, sizes));
    const queries = ['a', 'b', 'l0', 'l4', 'git', 'near', 'l3 l4', 'l0 l4', 'git hub', 'l2 near'];
    queries.push('near l4', 'l4 a', 'git a', 's1 l4', 's1 git', 'near b', 'git hub l3', 'l2 l3 l4');
    queries.push('git hub a', 'l3 git a b', 'l1 l2 l3 l4', 's1 s2 l3', 'l0 nothing');
    for (const query of queries) {
      const terms = query.split(' ').map((w, position) => ({ word: w, boost: 1, position }));
      for (const mode of MODES) {
        expectAnswer(opened, mode, terms, [
          [10, 0],
          [1, 0],
          [16, 0],
          [17, 0],
          [10, 40],
        ]);
      }
    }
  });

  /** Lists of up to 64 blocks, many of which hold no document that scores well. */
  function longLists(): ReturnType<typeof open> {
    const random = seededBelow(41);
    const docs = Array.from({ length: 200_000 }, (_, i): ModelDoc => {
      const words: string[] = [];
      const add = (word: string, per10000: number) => {
        if (random(10_000) < per10000) words.push(...Array(random(200) === 0 ? 6 : 1).fill(word));
      };
      add('d', 900);
      add('e', 500);
      add('u', 400);
      add('v', 350);
      add('w', 180);
      add('r', 16);
      if (random(10_000) < 200) words.push('p', 'q', 'd');
      if (random(10_000) < 165) words.push('o', 'd');
      if (random(10_000) < 190) words.push('y', ...Array(random(300) === 0 ? 8 : 1).fill('z'));
      if (random(10_000) < 60) words.push('p');
      if (random(10_000) < 90) words.push('q', 'z');
      // a few documents are short; of those with d, such that have o or p too
      const isShort = random(300) === 0 && (!words.includes('d') || /[op]/.test(words.join('')));
      words.push(...Array(isShort ? random(6) : 20 + random(20)).fill('x'));
      return { values: [words.join(' ')], key: String(i).padStart(8, '0'), blocked: false };
    });
    return open({ docs, sizes: [docs.length] });
  }

  it('of long lists are the same with plain loops', () => {
    const TWO = 'uvw'.split('').flatMap((a) => 'vwpde'.split('').map((b) => `${a} ${b}`));
    const found = ({ segments, keyOf }: ReturnType<typeof open>) =>
      [...TWO, 'o d', 'y z', 'u d v', 'e w v', 'r u', 'r u d', 'p q', 'p q u', 'r w v'].flatMap(
        (query) =>
          (['and', 'or'] as const).map((mode) => {
            const terms = query.split(' ').map((w, position) => {
              return { bytes: encoder.encode(w), boost: 1, position };
            });
            const top = new TopDocs(10, keyOf);
            const total = new TopDocs(10, keyOf);
            searchTerms({ mode, terms, segments }, top);
            const count = searchTerms({ mode, terms, segments }, total, true);
            const counted = countTerms({ mode, terms, segments });
            return { query, mode, count, counted, top: top.harvest(), total: total.harvest() };
          }),
      );
    const compiled = found(longLists());
    vi.stubEnv('LHS_WASM', '0');
    expect(compiled).toEqual(found(longLists()));
    vi.unstubAllEnvs();
  });

  /** A random query of one to four terms, dense, list and short ones. */
  const few = fc.array(
    fc.oneof(
      fc.constantFrom('a', 'b', 'c', 'd'),
      fc.integer({ min: 0, max: 5 }).map((n) => `m${n}`),
      fc.integer({ min: 0, max: 11 }).map((n) => `l${n}`),
      fc.integer({ min: 0, max: 399 }).map((n) => `s${n}`),
    ),
    { minLength: 1, maxLength: 4 },
  );

  it.each([
    ['one segment', 1, '1'],
    ['eight segments', 8, '1'],
    ['one segment, plain loops', 1, '0'],
    ['eight segments, plain loops', 8, '0'],
  ])('of one to four random terms are what brute force finds: %s', (_, parts, wasm) => {
    vi.stubEnv('LHS_WASM', wasm);
    const { docs } = largeCase(12, 2400, 3);
    const opened = open({ docs, sizes: Array.from({ length: parts }, () => 2400 / parts) });
    fc.assert(
      fc.property(few, fc.constantFrom('term', 'or', 'and'), (words, mode) => {
        const terms = words.map((w, position) => ({ word: w, boost: 1, position }));
        expectAnswer(opened, mode, terms, [
          [10, 0],
          [1, 0],
          [10, 30],
          [5, 250],
        ]);
      }),
      { seed: SEED, numRuns: byEffort(25, 250, 10_000) },
    );
    vi.unstubAllEnvs();
  });

  const QUERIES = ['a', 'l3', 's7', 'a b', 'a m2', 'a l1', 'l1 l2', 'm0 s9', 'a b c', 'b l1 l2'];
  const MANY = [...QUERIES, 'm1 l2 s3', 'l1 l2 l3', 'a b c d', 'a b c d m1 l1 l2 s1', 'a a'];

  /** Answers to all queries, or the codes of the errors. */
  function answers({ segments, keyOf }: ReturnType<typeof open>) {
    return MANY.flatMap((query) =>
      MODES.map((mode) => {
        const terms = query.split(' ').map((w, position) => {
          return { bytes: encoder.encode(w), boost: 1, position };
        });
        const top = new TopDocs(20, keyOf);
        const next = new TopDocs(20, keyOf, { score: 1.5, key: encoder.encode('5') });
        try {
          const total = searchTerms({ mode, terms, segments }, top, true);
          searchTerms({ mode, terms, segments }, next);
          return { query, mode, total, top: top.harvest(), next: next.harvest() };
        } catch (error) {
          return { query, mode, error: (error as { code?: string }).code };
        }
      }),
    );
  }

  it('are the same, bit for bit, with plain loops', () => {
    const instance = largeCase(14, 3000, 2);
    const compiled = answers(open(instance));
    vi.stubEnv('LHS_WASM', '0');
    const plain = answers(open(instance));
    vi.unstubAllEnvs();
    expect(plain).toEqual(compiled);
  });

  it('end, rightly or with corrupt_index, on damaged bytes', () => {
    const instance = largeCase(17, 2000, 0);
    const codes = new Set<unknown>();
    let state = SEED;
    for (let i = 0; i < byEffort(8, 60); i++) {
      const opened = open(instance);
      for (const { reader } of opened.segments) {
        const { at, bytes } = sectionOf(reader, i % 3 === 0 ? 'records' : 'big');
        for (let flip = 0; flip < 1 + (i % 20); flip++) {
          state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
          reader.arena.u8[at + (state % bytes)] ^= 1 << (state >>> 29);
        }
      }
      for (const answer of answers(opened)) if ('error' in answer) codes.add(answer.error);
    }
    codes.delete('corrupt_index');
    expect([...codes]).toEqual([]);
  });
});
