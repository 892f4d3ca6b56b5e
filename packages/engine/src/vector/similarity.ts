import type { Similarity } from '../schema/definition.ts';

/**
 * The score of a raw similarity, greater for nearer, as Elasticsearch scales its vectors' scores:
 *
 *   cosine  (1 + cos) / 2           0 .. 1
 *   l2      1 / (1 + distance^2)    0 .. 1; raw: the squared distance, negated
 *   dot     1 + dot, below zero 1 / (1 - dot)    above 0
 *
 * It rises with the raw similarity, so the order of documents is the same in both.
 */
export function scoreOf(similarity: Similarity, raw: number): number {
  if (similarity === 'cosine') return (1 + raw) / 2;
  if (similarity === 'l2') return 1 / (1 - raw);
  return raw < 0 ? 1 / (1 - raw) : 1 + raw;
}
