/** How good a list of hits is by judgments. */
import { type Coordinates, keyText } from '../coordinates.ts';
import type { Judgment } from './request.ts';

/** Hits that are judged. */
export const JUDGED_HITS = 10;

/**
 * nDCG@10: the sum of (2^grade - 1) / log2(rank + 1) over that of the best possible order (Järvelin
 * and Kekäläinen 2002, with the exponential gain of Burges 2005). 0 without relevant documents.
 */
export function ndcg(hits: readonly Coordinates[], judgments: readonly Judgment[]): number {
  const grades = new Map(judgments.map(({ key, grade }) => [keyText(key), grade]));
  const ideal = gain([...grades.values()].sort((a, b) => b - a));
  const found = gain(hits.map((key) => grades.get(keyText(key)) ?? 0));
  return ideal === 0 ? 0 : found / ideal;
}

function gain(grades: readonly number[]): number {
  return grades
    .slice(0, JUDGED_HITS)
    .reduce((sum, grade, i) => sum + (2 ** grade - 1) / Math.log2(i + 2), 0);
}
