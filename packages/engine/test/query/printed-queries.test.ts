// @module-tag campaign
/**
 * Random trees written as query strings, read back and asked: the same documents, in both syntaxes;
 * the same scores where no set of values is in the tree. What no string says is refused by its
 * path. LHS_PRINT_CASES sets the number (400; campaigns: 3,000), LHS_SEED the seed.
 */

import { LhsError, type SearchRequest } from '@lakehouse-search/contract';
import { checkSearchRequest } from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { buildCorpus, corpusPlan, MAPPING } from '../../../../test/support/oracle/corpus.ts';
import { addressOf, Model } from '../../../../test/support/oracle/model.ts';
import { queries } from '../../../../test/support/oracle/queries.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import type { Query } from '../../src/query/query.ts';
import { parseQuery } from '../../src/query/syntax/parse.ts';
import { printQuery } from '../../src/query/syntax/print.ts';
import { requireSayable, unsayable } from '../../src/query/syntax/sayable.ts';
import { writeTree } from '../../src/query/tree/write.ts';
import { searchIndex } from '../../src/search/search.ts';

const CASES = Number(process.env.LHS_PRINT_CASES ?? byEffort(400, 3000));
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);

const [plan] = fc.sample(corpusPlan(addressOf), { seed: SEED, numRuns: 1 });
const corpus = buildCorpus(plan!);
const model = new Model(corpus.physical, corpus.live);
afterAll(() => corpus.snapshot.release());
const context = searchContext(MAPPING, corpus.snapshot);

async function scores(request: SearchRequest): Promise<ReadonlyMap<string, number>> {
  const { hits } = await searchIndex(context, checkSearchRequest({ ...request, limit: 10_000 }));
  return new Map(hits.map((hit) => [hit.coordinates.identifier[0]!.value, hit.score]));
}

/** Without what no string says: `match`, `filter`, other minimums, empty patterns. */
function sayable(query: Query): Query {
  switch (query.kind) {
    case 'bool': {
      const { filter, must, minimum_should_match: _, ...rest } = query;
      const all = [...must, ...filter].map(sayable);
      const [should, must_not] = [rest.should.map(sayable), rest.must_not.map(sayable)];
      const least = all.length > 0 && should.length > 0 ? { minimum_should_match: 1 } : {};
      return { kind: 'bool', must: all, should, must_not, filter: [], ...least };
    }
    case 'boost':
      return { ...query, query: sayable(query.query) };
    case 'match':
      return { kind: 'phrase', field: query.field, value: query.value, slop: 0 };
    default:
      return unsayable(query) === null ? query : { kind: 'exists', field: 't1' };
  }
}

const hasSet = (query: Query): boolean => /"terms"/.test(JSON.stringify(writeTree(query)));

async function check(query: Query): Promise<boolean> {
  const wanted = await scores({ ast: writeTree(query) });
  const expected = model.search(query, null);
  expect(wanted.size).toBe(expected.size);
  for (const syntax of ['default', 'kql'] as const) {
    const text = printQuery(query, syntax)!;
    const found = await scores({ query: text, syntax });
    const missed = [...wanted.keys()].filter((key) => !found.has(key));
    expect([found.size, missed.slice(0, 5)], text).toEqual([wanted.size, []]);
    const again = model.search(parseQuery(text, { syntax }), null);
    expect(again.size, text).toBe(expected.size);
    if (hasSet(query)) continue;
    for (const [key, score] of found) expect(score, text).toBeCloseTo(wanted.get(key)!, 6);
  }
  return wanted.size > 0 && wanted.size < corpus.live.length;
}

describe('printed queries', () => {
  test(`have the hits of their trees in ${CASES} cases (seed ${SEED})`, async () => {
    let some = 0;
    await fc.assert(
      fc.asyncProperty(queries, fc.boolean(), async (random, mend) => {
        const query = mend ? sayable(random) : random;
        if (printQuery(query) !== undefined) some += (await check(query)) ? 1 : 0;
        else expect(() => requireSayable(query)).toThrow(LhsError);
      }),
      { seed: SEED, numRuns: CASES },
    );
    expect(some).toBeGreaterThan(CASES / 5);
  });
});
