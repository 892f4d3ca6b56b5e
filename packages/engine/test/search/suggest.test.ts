// @module-tag campaign
/**
 * Suggestions over random corpora (several segments, deletes, merges, Unicode) against brute force
 * over the live documents. LHS_SUGGEST_CASES sets the number of requests, LHS_SEED the seed.
 */

import type { Suggestion, SuggestRequest } from '@lakehouse-search/contract';
import { checkSuggestRequest } from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import {
  buildCorpus,
  type Corpus,
  type CorpusPlan,
  corpusPlan,
  KEYWORDS,
  MAPPING,
  TEXTS,
} from '../../../../test/support/oracle/corpus.ts';
import {
  addressOf,
  compareText,
  type ModelDoc,
  tokens,
} from '../../../../test/support/oracle/model.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import { NO_DEADLINE } from '../../src/base/time/deadline.ts';
import { suggestIndex } from '../../src/search/suggest.ts';
import { fieldTerms } from '../../src/shard/suggest/field-terms.ts';
import { offerPrefix } from '../../src/shard/suggest/prefix-terms.ts';
import { SuggestionList } from '../../src/shard/suggest/suggestion-list.ts';

const CASES = Number(process.env.LHS_SUGGEST_CASES ?? byEffort(450, 3000));
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const CASES_A_CORPUS = 150;

const ask = (corpus: Corpus, request: SuggestRequest) =>
  suggestIndex(searchContext(MAPPING, corpus.snapshot), checkSuggestRequest(request));

/** The analyzer lower-cases code point by code point: U+0130 becomes a plain i. */
const folded = (text: string): string => text.replaceAll('\u0307', '');

/** Live documents by term. */
function termCounts(live: readonly ModelDoc[], field: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const doc of live) {
    const terms =
      doc.texts[field]?.flatMap((text) => tokens(text).map(folded)) ?? doc.words[field]!;
    for (const term of new Set(terms)) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return counts;
}

/** Optimal string alignment over code points, by trying every last step. */
function edits(a: readonly string[], b: readonly string[], seen = new Map<string, number>()) {
  const go = (i: number, j: number): number => {
    const name = `${i} ${j}`;
    const known = seen.get(name);
    if (known !== undefined) return known;
    const steps = [i === 0 ? j : j === 0 ? i : Number.POSITIVE_INFINITY];
    if (i > 0 && j > 0) {
      steps.push(go(i - 1, j) + 1, go(i, j - 1) + 1);
      steps.push(go(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) steps.push(go(i - 2, j - 2) + 1);
    }
    const best = Math.min(...steps);
    seen.set(name, best);
    return best;
  };
  return go(a.length, b.length);
}

function expected(live: readonly ModelDoc[], request: SuggestRequest): readonly Suggestion[] {
  const { field, text = '', fuzzy = false, limit = 10 } = request;
  const own = [...(field.startsWith('t') ? folded(text.toLowerCase()) : text)];
  const most = request.max_edits ?? ([...text].length <= 5 ? 1 : 2);
  const found: Suggestion[] = [];
  for (const [term, doc_count] of termCounts(live, field)) {
    const distance = fuzzy ? edits(own, [...term]) : 0;
    const near = fuzzy ? distance <= most : term.startsWith(own.join(''));
    if (near) found.push({ text: term, doc_count, distance });
  }
  found.sort(
    (a, b) => a.distance - b.distance || b.doc_count - a.doc_count || compareText(a.text, b.text),
  );
  return found.slice(0, limit);
}

/** A corpus whose dictionaries have many blocks: words of a few letters, some far more frequent. */
function manyWords(seed: number): CorpusPlan {
  const [sample] = fc.sample(corpusPlan(addressOf), { seed, numRuns: 1 });
  const spread = fc.sample(fc.nat(1_000_000), { seed, numRuns: 9000 });
  const wordAt = (n: number) => {
    const rank = Math.floor((spread[n % 9000]! / 1_000_000) ** 3 * 20_000);
    return rank.toString(5).replace(/\d/g, (digit) => 'abcdé'[Number(digit)]!);
  };
  const pool = Array.from({ length: 200 }, (_, i) => ({
    ...sample!.pool[0]!,
    texts: { t1: [Array.from({ length: 40 }, (_, j) => wordAt(40 * i + j)).join(' ')], t2: [] },
    words: { k1: [wordAt(i), wordAt(3 * i + 1)], k2: [wordAt(7 * i)] },
  }));
  const put = (from: number) => ({ do: 'put', from, count: 300 }) as const;
  const keys = Array.from({ length: 150 }, (_, i) => 5 * i);
  const steps = [
    put(0),
    { do: 'delete', keys },
    { do: 'flush' },
    put(250),
    { do: 'flush' },
  ] as const;
  return { pool, steps: seed % 2 === 0 ? [...steps, { do: 'force' }] : [...steps, put(600)] };
}

const texts = fc.oneof(
  fc.constantFrom('', 'f', 'fo', 'foo', 'ba', 'baz', 'bazar', 'é', 'ete', '東', '𝒳', 'aa', 'FIX'),
  fc.constantFrom('Perl', 'pelr', 'gti', 'git-sc', 'git_scm', 'zz\u0001', 'İ', 'i', 'nothing', 'b'),
);
const requests: fc.Arbitrary<SuggestRequest> = fc
  .record({
    field: fc.constantFrom(...TEXTS, ...KEYWORDS),
    text: texts,
    limit: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    fuzzy: fc.boolean(),
    max_edits: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
  })
  .map((request) => (request.fuzzy ? request : { ...request, max_edits: undefined }));

describe('suggestions', () => {
  test(`equal brute force in ${CASES} random cases (seed ${SEED})`, async () => {
    const corpora = fc.sample(corpusPlan(addressOf), {
      seed: SEED,
      numRuns: Math.ceil(CASES / CASES_A_CORPUS),
    });
    for (const [i, plan] of corpora.entries()) {
      const corpus = buildCorpus(plan);
      await fc.assert(
        fc.asyncProperty(requests, async (request) => {
          const { suggestions } = await ask(corpus, request);
          expect(suggestions).toEqual(expected(corpus.live, request));
        }),
        { seed: SEED + i, numRuns: CASES_A_CORPUS },
      );
      corpus.snapshot.release();
    }
  });

  test('equal brute force with dictionaries of many blocks', async () => {
    const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'é'), { maxLength: 4 });
    const asked = requests.chain((request) =>
      letters.map((list) => ({ ...request, text: list.join('') })),
    );
    for (const seed of [1, 2]) {
      const corpus = buildCorpus(manyWords(seed));
      expect(corpus.snapshot.segments.length > 1).toBe(seed === 1);
      const prefix = Buffer.from('ab');
      offerPrefix(
        fieldTerms(corpus.snapshot.segments, 0),
        prefix,
        new SuggestionList(3),
        NO_DEADLINE,
      );
      expect(prefix.toString()).toBe('ab');
      expect(corpus.snapshot.segments[0]!.inverted(0)!.termCount).toBeGreaterThan(24 * 16);
      await fc.assert(
        fc.asyncProperty(asked, async (request) => {
          const { suggestions } = await ask(corpus, request);
          expect(suggestions).toEqual(expected(corpus.live, request));
        }),
        { seed: SEED, numRuns: 150 },
      );
      corpus.snapshot.release();
    }
  });
});
