/** The kinds of questions by meaning: a `knn` clause in a tree, semantic and hybrid searches. */
import fc from 'fast-check';
import { WORDS } from '../../../../../test/support/oracle/corpus.ts';
import { tooClose, type Vector } from '../../../../../test/support/oracle/vectors.ts';
import type { Query } from '../../../src/query/query.ts';
import type { Question } from './options.ts';

const vector = fc
  .array(fc.integer({ min: -64, max: 64 }), { minLength: 3, maxLength: 3 })
  .map((parts): Vector => parts.map((part) => part / 64))
  .filter((parts) => parts.some((part) => part !== 0));

/** What the rows of the table have: few, so that many rows are equally near. */
export const VECTORS: readonly Vector[] = fc.sample(vector, { seed: 4, numRuns: 14 });
const QUERIES = fc
  .sample(vector, { seed: 5, numRuns: 30 })
  .filter((query) => !tooClose(query, VECTORS, 'cosine'));

const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(' '));
const near = fc.record({
  query_vector: fc.constantFrom(...QUERIES),
  k: fc.constantFrom(1, 5, 20, 60, 1000),
});
const knn = fc.oneof(
  near,
  near.map((spec) => ({ ...spec, min_score: 0.6 })),
  near.map((spec): object => ({ ...spec, filter: { kind: 'exists', field: 't2' } })),
);

/** `knn` alone, and beside and inside other clauses. */
export const KNN: fc.Arbitrary<Query> = fc
  .tuple(knn, text, fc.constantFrom('alone', 'should', 'must', 'must_not', 'boost'))
  .map(([spec, value, place]): Query => {
    const node: Query = { kind: 'knn', field: 'v', ...spec };
    const words: Query = { kind: 'match', field: 't1', value, operator: 'or' };
    const bool = { kind: 'bool', must: [], should: [], must_not: [], filter: [] } as const;
    if (place === 'should') return { ...bool, should: [node, words] };
    if (place === 'must') return { ...bool, must: [node], should: [words] };
    if (place === 'must_not') return { ...bool, must: [words], must_not: [node] };
    return place === 'boost' ? { kind: 'boost', query: node, factor: 2 } : node;
  });

/** Searches by meaning, by name. */
export const MODES: Readonly<Record<'semantic' | 'hybrid', fc.Arbitrary<Question>>> = {
  semantic: fc
    .tuple(near, text, fc.option(fc.constantFrom(0.4, 0.7), { nil: undefined }))
    .map(([spec, query_text, min_score]) => ({
      mode: 'semantic',
      request: { ...spec, query_text, ...(min_score === undefined ? {} : { min_score }) },
    })),
  hybrid: fc
    .tuple(near, text, fc.constantFrom(undefined, 0, 60), fc.constantFrom(undefined, 0.5, 2))
    .map(([spec, query_text, rrf_k, semantic]) => ({
      mode: 'hybrid',
      request: {
        ...{ ...spec, query_text },
        ...(rrf_k === undefined ? {} : { rrf_k }),
        ...(semantic === undefined ? {} : { weights: { semantic } }),
      },
    })),
};
