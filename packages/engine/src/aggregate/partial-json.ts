/**
 * Partials as JSON values, from a shard to whoever merges them. Keys and integers of 64 bits are
 * texts: `s` before bytes (Latin-1), `i` before decimal digits; doubles that JSON has not are
 * texts. A partial holds every bucket, at most LIMITS.aggNestedBuckets of an aggregation, so that
 * merging is exact.
 */
import type { BucketKey } from './aggregation.ts';
import type { AggPartial } from './partial.ts';

type Wire = null | boolean | number | string | readonly Wire[] | { readonly [k: string]: Wire };

/** A partial as plain JSON. */
export function partialToJson(partial: AggPartial): Wire {
  switch (partial.kind) {
    case 'buckets': {
      const buckets = [...partial.buckets].map(
        ([key, { count, subs }]): Wire => [keyText(key), count, subs.map(partialToJson)],
      );
      return { kind: 'buckets', left: partial.left, error: partial.error, buckets };
    }
    case 'stats': {
      const { kind, count, min, max, whole, double } = partial;
      const sum = [num(double.sum), num(double.compensation)];
      const bound = (value: bigint | null) => (value === null ? null : String(value));
      return { kind, count, min: bound(min), max: bound(max), whole: String(whole), sum };
    }
    case 'distinct': {
      const { values, registers } = partial.distinct;
      if (values !== null) return { kind: 'distinct', values: [...values].map(keyText) };
      return { kind: 'distinct', registers: Buffer.from(registers!).toString('base64') };
    }
    case 'counted':
      return { kind: 'counted', value: partial.value };
    case 'digest': {
      const { means, weights, values: exact, min, max, nans } = partial.digest;
      const values = [...exact].map(([value, count]) => [num(value), count]);
      return {
        kind: 'digest',
        means: means.map(num),
        values,
        weights,
        min: num(min),
        max: num(max),
        nans,
      };
    }
  }
}

/** What `partialToJson` wrote, also after JSON.stringify and JSON.parse. */
export function partialFromJson(wire: unknown): AggPartial {
  const w = wire as Record<string, never>;
  switch (w.kind as string) {
    case 'buckets': {
      const entries = (w.buckets as [string, number, unknown[]][]).map(
        ([key, count, subs]) => [textKey(key), { count, subs: subs.map(partialFromJson) }] as const,
      );
      return { kind: 'buckets', left: w.left, error: w.error, buckets: new Map(entries) };
    }
    case 'stats': {
      const bound = (text: string | null) => (text === null ? null : BigInt(text));
      const [sum, compensation] = (w.sum as (number | string)[]).map(Number);
      const bounds = { min: bound(w.min), max: bound(w.max), whole: BigInt(w.whole) };
      return { kind: 'stats', count: w.count, ...bounds, double: { sum, compensation } };
    }
    case 'distinct': {
      const values = w.values === undefined ? null : new Set((w.values as string[]).map(textKey));
      const registers = values === null ? new Uint8Array(Buffer.from(w.registers, 'base64')) : null;
      return { kind: 'distinct', distinct: { values, registers } };
    }
    case 'counted':
      return { kind: 'counted', value: w.value };
    default: {
      const { weights, nans } = wire as { weights: number[] | null; nans: number };
      const exact = w.values as [number | string, number][];
      const values = new Map(exact.map(([value, count]) => [Number(value), count]));
      const means = (w.means as (number | string)[]).map(Number);
      const bounds = { min: Number(w.min), max: Number(w.max) };
      return { kind: 'digest', digest: { values, means, weights, ...bounds, nans } };
    }
  }
}

const num = (value: number): number | string => (Number.isFinite(value) ? value : String(value));
const keyText = (key: BucketKey): string => (typeof key === 'bigint' ? `i${key}` : `s${key}`);
const textKey = (text: string): BucketKey =>
  text.startsWith('i') ? BigInt(text.slice(1)) : text.slice(1);
