// @module-tag campaign
/**
 * Explanations of random (query, filter, key) over random corpora: found and matched agree with
 * the search, the tree adds up to the hit's score to 1e-6, the rank is the hit's place, and what is
 * offered as a clause that would match does match. LHS_EXPLAIN_CASES sets the number of pairs
 * (default 1,000; the long run takes 5,000), LHS_SEED the seed.
 */

import type { ExplainDetail, Hit, SearchRequest, WhyNot } from '@lakehouse-search/contract';
import { checkExplainRequest, checkSearchRequest } from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import {
  buildCorpus,
  type Corpus,
  corpusPlan,
  MAPPING,
} from '../../../../test/support/oracle/corpus.ts';
import { addressOf } from '../../../../test/support/oracle/model.ts';
import { queries } from '../../../../test/support/oracle/queries.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import type { Query } from '../../src/query/query.ts';
import { writeTree } from '../../src/query/tree/write.ts';
import { explainKey } from '../../src/search/explain/explain.ts';
import { searchIndex } from '../../src/search/search.ts';

const CASES = Number(process.env.LHS_EXPLAIN_CASES ?? byEffort(300, 1000, 5000));
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const KEYS_A_QUERY = 5;
const QUERIES_A_CORPUS = 20;

const context = ({ snapshot }: Corpus) => searchContext(MAPPING, snapshot);
const coordinatesOf = (key: string) => ({ identifier: [{ name: 'id', value: key }] });
const keyOf = (hit: Hit): string => hit.coordinates.identifier[0]!.value;
const close = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b));

function requestOf(query: Query, filter: Query | null): SearchRequest {
  const ast = writeTree(query) as SearchRequest['ast'];
  return filter === null ? { ast } : { ast, filter: writeTree(filter) as SearchRequest['filter'] };
}

/** Every node is the sum of its parts; a leaf with factors is their product. */
function checkTree({ score, details, factors, description, clause }: ExplainDetail): void {
  expect(description.startsWith(`${clause}: `)).toBe(true);
  if (factors !== undefined) {
    expect(close(score, factors.boost * factors.idf * factors.tf)).toBe(true);
    expect(details).toEqual([]);
  }
  if (details.length === 0) return;
  const sum = details.reduce((total, part) => total + part.score, 0);
  if (!close(sum, score)) expect.fail(`${description}: parts give ${sum}, it has ${score}`);
  details.forEach(checkTree);
}

let offered = 0;
let ranked = 0;

/** What is offered as a clause that would match finds the document. */
async function checkWhyNot(corpus: Corpus, why: WhyNot, key: string): Promise<void> {
  expect(why.message).not.toBe('');
  for (const other of why.others ?? []) await checkWhyNot(corpus, other, key);
  if (why.would_match === undefined) return;
  offered++;
  const { hits } = await searchIndex(
    context(corpus),
    checkSearchRequest({ query: why.would_match, limit: 10_000 }),
  );
  if (!hits.map(keyOf).includes(key)) expect.fail(`${why.would_match} does not find ${key}`);
}

async function checkKey(
  corpus: Corpus,
  request: SearchRequest,
  hits: readonly Hit[],
  key: string,
): Promise<void> {
  const answer = await explainKey(
    context(corpus),
    checkExplainRequest({ ...request, coordinates: coordinatesOf(key) }),
  );
  expect(answer.found).toBe(corpus.live.some((doc) => doc.key === key));
  const at = hits.findIndex((hit) => keyOf(hit) === key);
  expect(answer.matched).toBe(at >= 0);
  if (at >= 0) {
    const { score = Number.NaN, detail, rank, total } = answer;
    if (!close(score, hits[at]!.score)) expect.fail(`${score} is not ${hits[at]!.score}`);
    expect(detail!.score).toBe(score);
    checkTree(detail!);
    expect({ rank, total }).toEqual({ rank: at + 1, total: hits.length });
    expect(answer.why_not?.reason).toBe(at < 10 ? undefined : 'below_page');
    ranked++;
  } else if (answer.found) {
    expect(answer.total).toBe(hits.length);
    expect(answer).not.toHaveProperty('score');
    await checkWhyNot(corpus, answer.why_not!, key);
  } else expect(answer.why_not?.reason).toBe('table_unreachable');
}

const cases = fc.record({
  query: queries,
  filter: fc.option(queries, { nil: null, freq: 1 }),
  picks: fc.array(fc.nat(1_000_000), { minLength: KEYS_A_QUERY, maxLength: KEYS_A_QUERY }),
});

describe('random explanations', () => {
  test(`agree with the search in ${CASES} cases (seed ${SEED})`, async () => {
    const all = CASES / KEYS_A_QUERY / QUERIES_A_CORPUS;
    const corpora = fc.sample(corpusPlan(addressOf), { seed: SEED, numRuns: Math.ceil(all) });
    for (const [i, plan] of corpora.entries()) {
      const corpus = buildCorpus(plan);
      const known = [...corpus.physical, ...corpus.live].map((doc) => doc.key);
      const asked = fc.asyncProperty(cases, async ({ query, filter, picks }) => {
        const request = requestOf(query, filter);
        const { hits } = await searchIndex(
          context(corpus),
          checkSearchRequest({ ...request, limit: 10_000 }),
        );
        for (const [n, pick] of picks.entries()) {
          const among = n < 3 && hits.length > 0 ? hits.map(keyOf) : [...known, 'nowhere'];
          await checkKey(corpus, request, hits, among[pick % among.length]!);
        }
      });
      await fc.assert(asked, { seed: SEED + i, numRuns: QUERIES_A_CORPUS });
      corpus.snapshot.release();
    }
    expect(ranked).toBeGreaterThan(CASES / 5);
    expect(offered).toBeGreaterThan(CASES / 200);
  });
});
