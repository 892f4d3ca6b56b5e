/**
 * Reciprocal rank fusion (Cormack, Clarke, Buettcher 2009): a document scores the sum over the arms
 * that have it of weight / (rrf_k + rank).
 *
 * Ties are exact. Within an arm equal scores share a rank (1, 2, 2, 4): what an arm cannot tell
 * apart it does not rank by key. A fused score is one division of whole numbers, so two documents
 * whose sums are equal as fractions have the very same score, and only then the key decides.
 */
import type { ArmRank, HitArms } from '@lakehouse-search/contract';
import { type Fusion, WEIGHT_UNITS } from '@lakehouse-search/contract';
import type { ScoredDoc } from './find-nearest.ts';

/** A document with its rank and score in each arm. */
export interface FusedDoc extends ScoredDoc {
  readonly arms: HitArms;
}

/** The lists of the arms, best first; null: an arm that does not take part, or failed. */
export interface Arms {
  readonly lexical: readonly ScoredDoc[] | null;
  readonly semantic: readonly ScoredDoc[] | null;
}

/** The union of the arms' documents with fused scores, in no order. */
export function fuse(arms: Arms, fusion: Fusion): readonly FusedDoc[] {
  const all = new Map<number, { doc: ScoredDoc; lexical?: ArmRank; semantic?: ArmRank }>();
  for (const arm of ['lexical', 'semantic'] as const) {
    const docs = arms[arm] ?? [];
    const ranks = ranksOf(docs);
    docs.forEach((doc, i) => {
      const address = addressNumber(doc);
      const known = all.get(address) ?? { doc };
      all.set(address, { ...known, [arm]: { rank: ranks[i], score: doc.score } });
    });
  }
  return [...all.values()].map(({ doc: { shard, segment, doc }, ...own }) => {
    return { shard, segment, doc, score: fusedScore(own, fusion), arms: own };
  });
}

/** One number per document of a commit: segments have up to 2^24 documents. */
export const addressNumber = ({ shard, segment, doc }: Omit<ScoredDoc, 'score'>): number =>
  (shard * 2 ** 16 + segment) * 2 ** 24 + doc;

/** The rank of each of a list by falling score: one more than there are better ones. */
export function ranksOf(docs: readonly { readonly score: number }[]): readonly number[] {
  const ranks: number[] = [];
  docs.forEach(({ score }, i) => {
    ranks.push(i > 0 && docs[i - 1].score === score ? ranks[i - 1] : i + 1);
  });
  return ranks;
}

/**
 * The sum of weight / (rrf_k + rank). Numerators and denominators are whole numbers below 2^53
 * (request.ts bounds what they are made of), so the division alone is rounded.
 */
export function fusedScore({ lexical, semantic }: HitArms, { rrfK, weights }: Fusion): number {
  const a = lexical === undefined ? null : rrfK + lexical.rank;
  const b = semantic === undefined ? null : rrfK + semantic.rank;
  if (a === null || b === null) {
    const weight = a === null ? weights.semantic : weights.lexical;
    return weight / (WEIGHT_UNITS * (a ?? b ?? 1));
  }
  return (weights.lexical * b + weights.semantic * a) / (WEIGHT_UNITS * a * b);
}
