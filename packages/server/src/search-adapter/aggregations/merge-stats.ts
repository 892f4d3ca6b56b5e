/** Figures of a field over several sets of documents, of the figures of each. */
import type { StatsResult } from '@lakehouse-search/contract';

type Bound = StatsResult['min'];

/** The figures of all; whole numbers are added exactly, however large they are. */
export function mergeStats(all: readonly StatsResult[], type: string): StatsResult {
  const found = all.filter(({ count }) => count > 0);
  if (found.length === 0) return { count: 0, min: null, max: null, sum: 0, avg: null };
  if (found.length === 1) return found[0];
  const count = found.reduce((sum, one) => sum + one.count, 0);
  const least = (a: Bound, b: Bound) => (compare(a, b, type) <= 0 ? a : b);
  const most = (a: Bound, b: Bound) => (compare(a, b, type) >= 0 ? a : b);
  const bounds = {
    count,
    min: found.map(({ min }) => min).reduce(least),
    max: found.map(({ max }) => max).reduce(most),
  };
  if (type === 'DOUBLE') {
    const sum = found.reduce((total, one) => total + Number(one.sum), 0);
    return { ...bounds, sum, avg: sum / count };
  }
  const sum = found.reduce((total, one) => total + BigInt(String(one.sum)), 0n);
  const isSafe = sum <= BigInt(Number.MAX_SAFE_INTEGER) && sum >= -BigInt(Number.MAX_SAFE_INTEGER);
  const divisor = BigInt(count);
  const avg = Number(sum / divisor) + Number(sum % divisor) / count;
  return { ...bounds, sum: isSafe ? Number(sum) : String(sum), avg };
}

/** The order of two values as the wire has them: numbers, or large integers as texts. */
function compare(a: Bound, b: Bound, type: string): number {
  if (type === 'DOUBLE') return Number(a) - Number(b);
  const [x, y] = [BigInt(String(a)), BigInt(String(b))];
  return x < y ? -1 : x > y ? 1 : 0;
}
