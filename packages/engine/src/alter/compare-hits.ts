/** How two lists of hits differ, and how good each is by judgments. */
import type { Coordinates, Judgment, RehearsedQuery } from '@lakehouse-search/contract';

/** Hits that are compared. */
export const RANKS = 10;

type Compared = Pick<RehearsedQuery, 'overlap' | 'entered' | 'left' | 'moved'>;

/** The difference of two lists of keys, best first. */
export function compareHits(from: readonly Coordinates[], to: readonly Coordinates[]): Compared {
  const [before, after] = [rankOf(from), rankOf(to)];
  const common = [...before.keys()].filter((key) => after.has(key));
  const moves = common.map((key) => Math.abs((before.get(key) ?? 0) - (after.get(key) ?? 0)));
  const longer = Math.max(before.size, after.size);
  return {
    overlap: longer === 0 ? 1 : common.length / longer,
    entered: to.filter((key) => !before.has(keyText(key))),
    left: from.filter((key) => !after.has(keyText(key))),
    moved: moves.length === 0 ? 0 : moves.reduce((sum, move) => sum + move, 0) / moves.length,
  };
}

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
    .slice(0, RANKS)
    .reduce((sum, grade, i) => sum + (2 ** grade - 1) / Math.log2(i + 2), 0);
}

const rankOf = (keys: readonly Coordinates[]) =>
  new Map(keys.map((key, rank) => [keyText(key), rank]));

/** A key as one text: names and values of its columns. */
export function keyText({ partition = [], identifier }: Coordinates): string {
  return JSON.stringify([...partition, ...identifier].map(({ name, value }) => [name, value]));
}
