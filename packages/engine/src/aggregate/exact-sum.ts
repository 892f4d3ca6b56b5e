/**
 * A sum of doubles with a compensation term (Neumaier, "Rundungsfehleranalyse einiger Verfahren zur
 * Summation endlicher Summen", 1974): the error does not grow with the number of values, so that the
 * order of documents and segments all but vanishes from the result.
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
