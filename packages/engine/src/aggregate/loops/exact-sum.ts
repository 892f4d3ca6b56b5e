/**
 * A sum of doubles with a compensation term (Neumaier, "Rundungsfehleranalyse einiger Verfahren zur
 * Summation endlicher Summen", 1974): the error does not grow with the number of values, so that
 * the order of documents and segments all but vanishes from the result.
 */
export interface DoubleSum {
  sum: number;
  compensation: number;
}

/** Adds a value; NaN and infinities spread as IEEE 754 has it. */
export function addDouble(into: DoubleSum, value: number): void {
  const sum = into.sum + value;
  if (Number.isFinite(sum)) {
    into.compensation +=
      Math.abs(into.sum) >= Math.abs(value) ? into.sum - sum + value : value - sum + into.sum;
  }
  into.sum = sum;
}

/** The sum. */
export const doubleSum = ({ sum, compensation }: DoubleSum): number =>
  Number.isFinite(sum) ? sum + compensation : sum;

/** Lanes of a sum over a column: document d belongs to lane d & 7. */
export const SUM_LANES = 8;

/**
 * Adds a value to a lane of sums and to what they lost (the two-sum of Knuth, The Art of Computer
 * Programming 2, 4.2.2: exact as long as the sum is finite).
 */
export function addToLane(
  sums: Float64Array,
  lost: Float64Array,
  lane: number,
  value: number,
): void {
  const before = sums[lane];
  const sum = before + value;
  const added = sum - before;
  sums[lane] = sum;
  lost[lane] += before - (sum - added) + (value - added);
}

/** The lanes added up, from the first on. */
export function laneSum(sums: Float64Array, lost: Float64Array): DoubleSum {
  const total: DoubleSum = { sum: 0, compensation: 0 };
  for (let lane = 0; lane < sums.length; lane++) {
    addDouble(total, sums[lane]);
    if (Number.isFinite(sums[lane])) addDouble(total, lost[lane]);
  }
  return total;
}

/** Adds a value so many times (below 2^24), without rounding the product. */
export function addTimes(into: DoubleSum, value: number, times: number): void {
  // The upper half of the fraction, and the rest: both products are exact.
  const high = Math.fround(value);
  if (!Number.isFinite(high) || Math.abs(high) < 1e-30) {
    for (let i = 0; i < times; i++) addDouble(into, value);
    return;
  }
  addDouble(into, high * times);
  addDouble(into, (value - high) * times);
}
