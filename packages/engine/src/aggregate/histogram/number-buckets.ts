/**
 * Buckets of doubles in a histogram. Bucket n begins at n times the width, so partials of segments
 * and shards agree about every bucket. NaN and infinities are in no bucket.
 */
import { LhsError } from '@lakehouse-search/contract';
import type { NumericColumn } from '../../columnar/numeric-column.ts';
import { type Coder, once } from '../count/coder.ts';

/**
 * The beginning of a bucket. A width such as 0.1 divides instead of multiplying, so that the third
 * bucket begins at 0.3 and not at 0.30000000000000004.
 */
export function bucketStart(bucket: bigint | number, width: number): number {
  const parts = Math.round(1 / width);
  return 1 / parts === width ? Number(bucket) / parts : Number(bucket) * width;
}

/**
 * The bucket of a finite value: its beginning is at most the value, the next one's is above it.
 * Throws limit_exceeded if the value is so far from 0 that buckets cannot be told apart.
 */
export function bucketOfNumber(value: number, width: number): number {
  let bucket = Math.floor(value / width);
  if (!Number.isSafeInteger(bucket)) {
    const message = `the value ${value} is too far from 0 for a histogram interval of ${width}`;
    throw new LhsError('limit_exceeded', message, { hint: 'take a larger interval' });
  }
  if (bucketStart(bucket + 1, width) <= value) bucket++;
  else if (bucketStart(bucket, width) > value) bucket--;
  return bucket;
}

/** The buckets of a column of doubles, numbered as they come. */
export function numberCoder(column: NumericColumn, width: number): Coder {
  const known = new Map<number, number>();
  const keys: bigint[] = [];
  const { present, starts } = column;
  const codeAt = (slot: number): number => {
    const value = column.numberAt(slot);
    if (!Number.isFinite(value)) return -1;
    const bucket = bucketOfNumber(value, width);
    let code = known.get(bucket);
    if (code === undefined) known.set(bucket, (code = keys.push(BigInt(bucket)) - 1));
    return code;
  };
  return {
    size: Number.POSITIVE_INFINITY,
    ordered: false,
    read(doc, out) {
      if ((present[doc >> 5] & (1 << (doc & 31))) === 0) return 0;
      const [from, to] = starts === null ? [doc, doc + 1] : [starts[doc], starts[doc + 1]];
      let count = 0;
      for (let slot = from; slot < to; slot++) {
        const code = codeAt(slot);
        if (code >= 0) count = once(code, out, count);
      }
      return count;
    },
    fill: null,
    key: (code) => keys[code],
    count: () => null,
  };
}
