/**
 * Two lists of documents fused into one, by one of two methods.
 *
 * `rrf`, reciprocal rank fusion (Cormack, Clarke, Buettcher 2009): a document scores the sum over
 * the arms that have it of weight / (rrf_k + rank). Ties are exact. Within an arm equal scores
 * share a rank (1, 2, 2, 4): documents that an arm scores equally are not ranked by key there. A
 * fused score is one division of whole numbers, so two documents whose sums are equal as fractions
 * have the very same score, and only then the key decides.
 *
 * `scores`, a convex combination of min-max scaled scores (Bruch, Gai, Ingber 2023, "An Analysis of
 * Fusion Functions for Hybrid Retrieval"): the first document of an arm has 1 there, its last one
 * 0, and so has a document that the arm lacks. The score is the weighted mean over both arms.
 */
import type { ArmRank, HitArms } from '@lakehouse-search/contract';
import { type Fusion, WEIGHT_UNITS } from '@lakehouse-search/contract/internal';
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

/** The best and the worst score of an arm; null: it has no documents. */
export interface ScoreRange {
  readonly best: number;
  readonly worst: number;
}
export type ArmRanges = { readonly [Arm in keyof Arms]: ScoreRange | null };

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
  const ranges = rangesOf(arms);
  return [...all.values()].map(({ doc: { shard, segment, doc }, ...own }) => {
    return { shard, segment, doc, score: fusedScore(own, fusion, ranges), arms: own };
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

/** The range of scores of each arm. */
export function rangesOf({ lexical, semantic }: Arms): ArmRanges {
  return { lexical: rangeOf(lexical), semantic: rangeOf(semantic) };
}

const rangeOf = (docs: readonly ScoredDoc[] | null): ScoreRange | null =>
  docs === null || docs.length === 0
    ? null
    : { best: docs[0].score, worst: docs[docs.length - 1].score };

/** The score of a document in an arm, scaled to 0 … 1; 1 in an arm of equal scores. */
export function scaled({ score }: ArmRank, { best, worst }: ScoreRange): number {
  return best === worst ? 1 : (score - worst) / (best - worst);
}

/** The fused score of a document by what each arm says of it. */
export function fusedScore(arms: HitArms, fusion: Fusion, ranges: ArmRanges): number {
  return fusion.method === 'rrf' ? rankScore(arms, fusion) : meanScore(arms, fusion, ranges);
}

/**
 * The sum of weight / (rrf_k + rank). Numerators and denominators are whole numbers below 2^53
 * (the checks of the request bound what they are made of), so the division alone is rounded.
 */
function rankScore(
  { lexical, semantic }: HitArms,
  { rrfK, weights }: Fusion & { readonly method: 'rrf' },
): number {
  const a = lexical === undefined ? null : rrfK + lexical.rank;
  const b = semantic === undefined ? null : rrfK + semantic.rank;
  if (a === null || b === null) {
    const weight = a === null ? weights.semantic : weights.lexical;
    return weight / (WEIGHT_UNITS * (a ?? b ?? 1));
  }
  return (weights.lexical * b + weights.semantic * a) / (WEIGHT_UNITS * a * b);
}

/** The weighted mean of the scaled scores. */
function meanScore(
  { lexical, semantic }: HitArms,
  { weights }: Fusion,
  { lexical: words, semantic: meaning }: ArmRanges,
): number {
  const a = lexical === undefined || words === null ? 0 : scaled(lexical, words);
  const b = semantic === undefined || meaning === null ? 0 : scaled(semantic, meaning);
  return (weights.lexical * a + weights.semantic * b) / (weights.lexical + weights.semantic);
}
