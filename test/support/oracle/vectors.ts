/**
 * Nearness by brute force over plain arrays, as docs/semantic.md has it: vectors are kept in 16-bit
 * fixed point (those of a cosine field at length 1), scores rise with nearness, and what is equally
 * near stands by key.
 */
import { compareText, type ModelDoc } from './model.ts';

export type Vector = readonly number[];
export type Similarity = 'cosine' | 'dot' | 'l2';

const length = (v: Vector): number => Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
const dot = (a: Vector, b: Vector): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

/** A vector as an index keeps it. */
export function stored(vector: Vector, similarity: Similarity): Vector {
  const size = length(vector);
  const unit = similarity === 'cosine' ? vector.map((x) => Math.fround(x / size)) : vector;
  const scale = Math.fround(Math.max(...unit.map(Math.abs)) / 32_767);
  return unit.map((x) => scale * Math.round(x / scale));
}

/** The score of a stored vector. */
export function scoreOf(query: Vector, vector: Vector, similarity: Similarity): number {
  if (similarity === 'l2') return 1 / (1 + query.reduce((s, x, i) => s + (x - vector[i]!) ** 2, 0));
  const product = dot(query, vector);
  if (similarity === 'cosine') return (1 + product / (length(query) * length(vector))) / 2;
  return product < 0 ? 1 / (1 - product) : 1 + product;
}

/** Scores that differ by less are the same here: the vectors of a test are chosen further apart. */
export const SAME = 1e-7;

/** What should be near. */
export interface NearSpec {
  readonly query: Vector;
  readonly k: number;
  readonly similarity: Similarity;
  readonly least?: number;
}

/** The nearest documents and their scores; `vectorOf` gives vectors as they came. */
export function nearestOf(
  docs: readonly ModelDoc[],
  vectorOf: (doc: ModelDoc) => Vector | null,
  { query, k, similarity, least = -Infinity }: NearSpec,
): Map<ModelDoc, number> {
  const scored = docs.flatMap((doc) => {
    const vector = vectorOf(doc);
    if (vector === null || (similarity === 'cosine' && length(vector) === 0)) return [];
    return { doc, score: scoreOf(query, stored(vector, similarity), similarity) };
  });
  scored.sort((a, b) => {
    if (Math.abs(a.score - b.score) > SAME) return b.score - a.score;
    return compareText(a.doc.key, b.doc.key);
  });
  const kept = scored.slice(0, k).filter(({ score }) => score >= least);
  return new Map(kept.map(({ doc, score }) => [doc, score]));
}

/** Whether two of some vectors are at nearly one distance of a query, and not the same. */
export function tooClose(
  query: Vector,
  vectors: readonly Vector[],
  similarity: Similarity,
): boolean {
  const scores = vectors.map((v) => scoreOf(query, stored(v, similarity), similarity)).sort();
  return scores.some((score, i) => i > 0 && score - scores[i - 1]! < 100 * SAME);
}

/** One list of an arm: keys and scores, best first. */
export type ArmList = readonly { readonly key: string; readonly score: number }[];

/** Fused scores by key, summed as fractions: `over / under`. */
export function fusedOf(
  arms: readonly { readonly list: ArmList; readonly weight: number }[],
  rrfK: number,
): Map<string, { readonly over: bigint; readonly under: bigint }> {
  const all = new Map<string, { over: bigint; under: bigint }>();
  for (const { list, weight } of arms) {
    for (const { key, score } of list) {
      const rank = 1 + list.filter((other) => other.score > score).length;
      const d = 1000n * BigInt(rrfK + rank);
      const { over, under } = all.get(key) ?? { over: 0n, under: 1n };
      const part = BigInt(Math.round(weight * 1000));
      all.set(key, { over: over * d + part * under, under: under * d });
    }
  }
  return all;
}

/** The keys of fused documents in their order: the greater fraction first, equal ones by key. */
export function fusedOrder(fused: ReturnType<typeof fusedOf>): string[] {
  return [...fused]
    .sort(([a, x], [b, y]) => {
      const difference = y.over * x.under - x.over * y.under;
      return difference === 0n ? compareText(a, b) : difference > 0n ? 1 : -1;
    })
    .map(([key]) => key);
}
