// @module-tag campaign
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byEffort, everyNth, seedOfDay } from '../../../../test/support/effort.ts';
import { largeCase, listCase, longLists } from '../../test/scoring/cases.ts';
import { expectAnswer, searched, termsOf } from '../../test/scoring/expect-answer.ts';
import { type OpenCase, open, sectionOf } from '../../test/scoring/open-case.ts';
import { QUERY_TEXT, QUERY_TOP } from './kernel/kernel-memory.ts';
import { countTerms, searchTerms } from './search-terms.ts';
import { TopDocs } from './top-docs.ts';

const SEED = 20_261_121;
const encoder = new TextEncoder();
const MODES = ['term', 'or', 'and', 'phrase'] as const;

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
  it.each(
    everyNth(
      [
        [11, 3000, 0],
        [12, 3000, 0],
        [13, 3000, 96],
        [14, 3000, 40],
        [16, 3000, 2],
        [18, 2500, 0],
        [19, 2500, 2],
        [20, 4500, 0],
        [21, 2500, 92],
      ] as const,
      byEffort(3, 1),
      seedOfDay(),
    ),
  )(
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
  it.each(
    everyNth(
      [
        [31, 0, [16_000]],
        [32, 2, [16_000]],
        [33, 60, [16_000]],
        [34, 0, [9000, 1, 7000]],
        [35, 2, [9000, 5000, 3000]],
      ] as const,
      byEffort(2, 1),
      seedOfDay(),
    ),
  )('of lists are what brute force finds: seed %i, %i percent deleted', (seed, deleted, sizes) => {
    const opened = open(listCase(seed, deleted, sizes));
    const queries = ['a', 'b', 'l0', 'l4', 'git', 'near', 'l3 l4', 'l0 l4', 'git hub', 'l2 near'];
    queries.push('near l4', 'l4 a', 'git a', 's1 l4', 's1 git', 'near b', 'git hub l3', 'l2 l3 l4');
    queries.push('git hub a', 'l3 git a b', 'l1 l2 l3 l4', 's1 s2 l3', 'l0 nothing');
    for (const query of queries) {
      const terms = termsOf(query);
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
  it.each([
    ['eight segments', 2400, 8],
    ['600 segments', 1200, 600],
  ])('of two arenas, with long words, are what brute force finds: %s', (_, docs, parts) => {
    const long = 'x'.repeat(QUERY_TEXT + 2);
    const { docs: plain } = largeCase(12, docs, 3);
    const own = plain.map((one, i) => {
      return i % 9 === 0 ? { ...one, values: [`${one.values.join(' ')} ${long}`] } : one;
    });
    const sizes = Array.from({ length: parts }, () => docs / parts);
    const opened = open({ docs: own, sizes, apart: true });
    for (const query of ['a', 'm1', 'a b', 'l1 m1', 'a a b', 'a b c d m1', long, `a ${long}`]) {
      const pages = [10, 100].flatMap((limit) => [[limit, 0] as const, [limit, 40] as const]);
      for (const mode of MODES) expectAnswer(opened, mode, termsOf(query), pages);
    }
  });
  it('of long lists are the same for pages that the kernel does not keep', () => {
    const { segments, keyOf } = open(longLists());
    const TWO = 'uvw'.split('').flatMap((a) => 'vwpde'.split('').map((b) => `${a} ${b}`));
    const others = ['o d', 'y z', 'u d v', 'e w v', 'r u', 'r u d', 'p q', 'p q u', 'r w v'];
    for (const query of [...TWO, ...others]) {
      for (const mode of ['and', 'or'] as const) {
        const search = { mode, terms: searched(termsOf(query)), segments };
        const [short, long] = [10, QUERY_TOP + 1].map((limit) => new TopDocs(limit, keyOf));
        const total = searchTerms(search, long, true);
        expect(searchTerms(search, short, true), query).toBe(total);
        expect(short.harvest(), query).toEqual(long.harvest().slice(0, 10));
        expect(countTerms(search), query).toBe(total);
      }
    }
  });

  /** A random query of one to eight terms, dense, list and short ones. */
  const few = fc.array(
    fc.oneof(
      fc.constantFrom('a', 'b', 'c', 'd'),
      fc.integer({ min: 0, max: 5 }).map((n) => `m${n}`),
      fc.integer({ min: 0, max: 11 }).map((n) => `l${n}`),
      fc.integer({ min: 0, max: 399 }).map((n) => `s${n}`),
    ),
    { minLength: 1, maxLength: 8 },
  );

  it.each([
    ['one segment', 1, 'none'],
    ['eight segments', 8, 'none'],
    ['one segment without best documents', 1, 'all'],
    ['eight segments without best documents', 8, 'all'],
  ] as const)('of one to eight random terms are what brute force finds: %s', (_, parts, plain) => {
    const { docs } = largeCase(12, 2400, 3);
    const opened = open({
      docs,
      sizes: Array.from({ length: parts }, () => 2400 / parts),
      plain,
    });
    fc.assert(
      fc.property(few, fc.constantFrom('term', 'or', 'and'), (words, mode) => {
        const terms = termsOf(words.join(' '));
        expectAnswer(opened, mode, terms, [
          [10, 0],
          [1, 0],
          [10, 30],
          [5, 250],
        ]);
      }),
      { seed: SEED, numRuns: byEffort(25, 250, 10_000) },
    );
  });

  const QUERIES = ['a', 'l3', 's7', 'a b', 'a m2', 'a l1', 'l1 l2', 'm0 s9', 'a b c', 'b l1 l2'];
  const MANY = [...QUERIES, 'm1 l2 s3', 'l1 l2 l3', 'a b c d', 'a b c d m1 l1 l2 s1', 'a a'];

  /** Answers to all queries, or the codes of the errors. */
  function answers({ segments, keyOf }: OpenCase) {
    return MANY.flatMap((query) =>
      MODES.map((mode) => {
        const terms = searched(termsOf(query));
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
