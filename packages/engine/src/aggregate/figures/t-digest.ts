/**
 * Percentiles in bounded memory: up to 4,096 different values are counted as they are; beyond, a
 * merging t-digest (T. Dunning, O. Ertl, "Computing extremely accurate quantiles using t-digests",
 * 2019) with the scale function k1 = (δ / 2π) asin(2q - 1), δ = 400: about 400 centroids, fine at
 * both ends. A value that is so frequent that it fills a step of k1 alone keeps a centroid for
 * itself, within which every rank has that value. NaN has no place among percentiles: it is counted
 * apart.
 */
const DELTA = 400;
const VALUES = 4096;

/** Values of many documents in bounded memory; made by `noDigest`. */
export interface Digest {
  /** Values with their number that are not yet in centroids. */
  values: Map<number, number>;
  /** `means` rise, beside their `weights`; null: all values still stand in `values`. */
  means: number[];
  weights: number[] | null;
  min: number;
  max: number;
  nans: number;
}

export const noDigest = (): Digest => ({
  values: new Map(),
  means: [],
  weights: null,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  nans: 0,
});

/** Adds a value, `weight` times. */
export function addToDigest(digest: Digest, value: number, weight = 1): void {
  if (Number.isNaN(value)) {
    digest.nans += weight;
    return;
  }
  const { values } = digest;
  values.set(value, (values.get(value) ?? 0) + weight);
  if (value < digest.min) digest.min = value;
  if (value > digest.max) digest.max = value;
  if (values.size > VALUES) condense(digest, [], []);
}

/** into = both. */
export function mergeDigests(into: Digest, other: Digest): void {
  into.nans += other.nans;
  into.min = Math.min(into.min, other.min);
  into.max = Math.max(into.max, other.max);
  if (other.weights !== null) condense(into, other.means, other.weights);
  for (const [value, weight] of other.values) addToDigest(into, value, weight);
}

/** The values and more centroids into the digest's own. */
function condense(digest: Digest, means: readonly number[], weights: readonly number[]): void {
  const all: [number, number][] = [...digest.values];
  for (let i = 0; i < digest.means.length; i++) all.push([digest.means[i], digest.weights![i]]);
  for (let i = 0; i < means.length; i++) all.push([means[i], weights[i]]);
  all.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const total = all.reduce((sum, [, weight]) => sum + weight, 0);
  digest.values = new Map();
  digest.means = [];
  digest.weights = [];
  let before = 0;
  let limit = 0;
  for (const [mean, weight] of all) {
    const last = digest.means.length - 1;
    const lastWeight = last < 0 ? 0 : digest.weights[last];
    if (last >= 0 && (before + lastWeight + weight <= limit || digest.means[last] === mean)) {
      digest.means[last] = mix(digest.means[last], lastWeight, mean, weight);
      digest.weights[last] = lastWeight + weight;
    } else {
      before += lastWeight;
      limit = limitAfter(before, total);
      digest.means.push(mean);
      digest.weights.push(weight);
    }
  }
}

/** The weighted mean of two; equal (also infinite) means stay as they are. */
function mix(a: number, weightA: number, b: number, weightB: number): number {
  return a === b ? a : a + ((b - a) * weightB) / (weightA + weightB);
}

/** The rank up to which a centroid that begins after `before` may reach: one step of k1. */
function limitAfter(before: number, total: number): number {
  const k = (DELTA / (2 * Math.PI)) * Math.asin((2 * before) / total - 1) + 1;
  if (k >= DELTA / 4) return total;
  return (total * (Math.sin((k * 2 * Math.PI) / DELTA) + 1)) / 2;
}

/**
 * The values at percentiles 0 .. 100 by linear interpolation between neighbours (as SQL's
 * percentile_cont, exact while `weights` is null); null where there is no value.
 */
export function digestValues(digest: Digest, percents: readonly number[]): (number | null)[] {
  if (digest.weights === null) {
    const sorted = [...digest.values].sort(([a], [b]) => (a < b ? -1 : 1));
    return percents.map((percent) => exactValue(sorted, percent / 100));
  }
  if (digest.values.size > 0) condense(digest, [], []);
  return percents.map((percent) => centroidValue(digest, percent / 100));
}

function exactValue(sorted: readonly (readonly [number, number])[], q: number): number | null {
  const total = sorted.reduce((sum, [, weight]) => sum + weight, 0);
  if (total === 0) return null;
  const rank = q * (total - 1);
  const low = Math.floor(rank);
  let before = 0;
  let at = 0;
  for (; before + sorted[at][1] <= low; at++) before += sorted[at][1];
  const [value, weight] = sorted[at];
  const next = low + 1 < before + weight ? value : (sorted[at + 1]?.[0] ?? value);
  return between(value, next, rank - low);
}

/**
 * Centroids stand at the middle of their weight, those of one frequent value on all of it; the
 * outermost reach to `min` and `max`.
 */
function centroidValue({ means, weights, min, max }: Digest, q: number): number {
  const total = weights!.reduce((sum, weight) => sum + weight, 0);
  const rank = q * total;
  let [left, leftAt, before] = [min, 0, 0];
  for (let i = 0; i < means.length; i++) {
    const after = before + weights![i];
    const alone = after > limitAfter(before, total);
    const [from, to] = alone ? [before, after] : [(before + after) / 2, (before + after) / 2];
    if (rank < from) return between(left, means[i], (rank - leftAt) / (from - leftAt));
    if (rank <= to) return means[i];
    [left, leftAt, before] = [means[i], to, after];
  }
  return between(left, max, leftAt >= total ? 1 : (rank - leftAt) / (total - leftAt));
}

/** Between an infinity and a number lies the infinity; between two of them there is no number. */
function between(a: number, b: number, part: number): number {
  if (a === b || part === 0) return a;
  if (part === 1) return b;
  return Number.isFinite(a) ? a + (b - a) * part : a * (1 - part) + b * part;
}
