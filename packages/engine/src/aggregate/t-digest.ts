/**
 * Percentiles in bounded memory: values as they are up to 4,096, then a merging t-digest (T. Dunning,
 * O. Ertl, "Computing extremely accurate quantiles using t-digests", 2019) with the scale function
 * k1 = (δ / 2π) asin(2q - 1), δ = 400: at most about 400 centroids, fine at both ends. NaN has no
 * place among percentiles: it is counted apart.
 */
const DELTA = 400;
const BUFFER = 4096;

/** `means` rise, beside their `weights`; null: all values still stand in `buffer`. */
export interface Digest {
  means: number[];
  weights: number[] | null;
  /** Values that came since the centroids were made. */
  buffer: number[];
  min: number;
  max: number;
  nans: number;
}

export const noDigest = (): Digest => ({
  means: [],
  weights: null,
  buffer: [],
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  nans: 0,
});

/** Adds a value. */
export function addToDigest(digest: Digest, value: number): void {
  if (Number.isNaN(value)) {
    digest.nans++;
    return;
  }
  digest.buffer.push(value);
  if (value < digest.min) digest.min = value;
  if (value > digest.max) digest.max = value;
  if (digest.buffer.length > BUFFER) condense(digest, [], []);
}

/** into = both. */
export function mergeDigests(into: Digest, other: Digest): void {
  into.nans += other.nans;
  into.min = Math.min(into.min, other.min);
  into.max = Math.max(into.max, other.max);
  if (other.weights === null) {
    for (const value of other.buffer) {
      into.buffer.push(value);
      if (into.buffer.length > BUFFER) condense(into, [], []);
    }
    return;
  }
  condense(into, other.means, other.weights);
  for (const value of other.buffer) addToDigest(into, value);
}

/** The buffer and more centroids into the digest's own. */
function condense(digest: Digest, means: readonly number[], weights: readonly number[]): void {
  const all: [number, number][] = digest.buffer.map((value) => [value, 1]);
  for (let i = 0; i < digest.means.length; i++) all.push([digest.means[i], digest.weights![i]]);
  for (let i = 0; i < means.length; i++) all.push([means[i], weights[i]]);
  all.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const total = all.reduce((sum, [, weight]) => sum + weight, 0);
  digest.buffer = [];
  digest.means = [];
  digest.weights = [];
  let before = 0;
  let limit = 0;
  for (const [mean, weight] of all) {
    const last = digest.means.length - 1;
    const held = last < 0 ? 0 : digest.weights[last];
    if (last >= 0 && (before + held + weight <= limit || digest.means[last] === mean)) {
      digest.means[last] = mix(digest.means[last], held, mean, weight);
      digest.weights[last] = held + weight;
    } else {
      before += held;
      limit = total * limitAfter(before / total);
      digest.means.push(mean);
      digest.weights.push(weight);
    }
  }
}

/** The weighted mean of two; equal (also infinite) means stay as they are. */
function mix(a: number, weightA: number, b: number, weightB: number): number {
  return a === b ? a : a + ((b - a) * weightB) / (weightA + weightB);
}

/** The quantile up to which a centroid that begins at `q` may reach: one step of k1. */
function limitAfter(q: number): number {
  const k = (DELTA / (2 * Math.PI)) * Math.asin(2 * q - 1) + 1;
  if (k >= DELTA / 4) return 1;
  return (Math.sin((k * 2 * Math.PI) / DELTA) + 1) / 2;
}

/**
 * The values at percentiles 0 .. 100 by linear interpolation between neighbours (as SQL's
 * percentile_cont, exact up to 4,096 values); null where there is no value.
 */
export function digestValues(digest: Digest, percents: readonly number[]): (number | null)[] {
  if (digest.weights === null) {
    const sorted = Float64Array.from(digest.buffer).sort();
    return percents.map((percent) => exactValue(sorted, percent / 100));
  }
  if (digest.buffer.length > 0) condense(digest, [], []);
  return percents.map((percent) => centroidValue(digest, percent / 100));
}

function exactValue(sorted: Float64Array, q: number): number | null {
  if (sorted.length === 0) return null;
  const place = q * (sorted.length - 1);
  const low = Math.floor(place);
  return between(sorted[low], sorted[Math.min(low + 1, sorted.length - 1)], place - low);
}

/** Centroids stand at the middle of their weight; the outermost reach to `min` and `max`. */
function centroidValue({ means, weights, min, max }: Digest, q: number): number {
  const total = weights!.reduce((sum, weight) => sum + weight, 0);
  const place = q * total;
  let [left, leftAt, before] = [min, 0, 0];
  for (let i = 0; i < means.length; i++) {
    const at = before + weights![i] / 2;
    if (place < at) return between(left, means[i], (place - leftAt) / (at - leftAt));
    [left, leftAt] = [means[i], at];
    before += weights![i];
  }
  return between(left, max, leftAt >= total ? 1 : (place - leftAt) / (total - leftAt));
}

/** Between an infinity and a number lies the infinity; between two of them there is no number. */
function between(a: number, b: number, part: number): number {
  if (a === b || part === 0) return a;
  if (part === 1) return b;
  return Number.isFinite(a) ? a + (b - a) * part : a * (1 - part) + b * part;
}
