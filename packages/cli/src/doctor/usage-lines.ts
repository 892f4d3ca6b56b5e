/** What an index takes, and what its store costs by a list of prices. */
import { LhsError } from '@lakehouse-search/contract';
import type { IndexUsage } from '@lakehouse-search/engine';
import { bytes, plural } from '../terminal/figures.ts';

/** Dollars of an object store; the defaults are those of Amazon S3 in its cheapest regions. */
export interface Prices {
  readonly gigabyteMonth: number;
  readonly millionReads: number;
}

const DEFAULT = '0.023,0.4';
const GB = 1e9;

/** The prices of a setting. Throws invalid_argument. */
export function readPrices(text: string = DEFAULT): Prices {
  const match = /^(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$/.exec(text.replaceAll(' ', ''));
  if (match !== null) return { gigabyteMonth: Number(match[1]), millionReads: Number(match[2]) };
  throw new LhsError('invalid_argument', `prices is "${text}", not two numbers`, {
    hint: `dollars of a GB and month, and of a million reads: lhs config set prices ${DEFAULT}`,
  });
}

/** Dollars of the objects of an index in a month, and of a million reads like the last ones. */
export function costsOf({ objects, reads }: IndexUsage, prices: Prices) {
  return {
    ...(objects && { dollars_a_month: (objects.bytes / GB) * prices.gigabyteMonth }),
    ...(reads && { dollars_a_million_reads: reads.requests * prices.millionReads }),
  };
}

/** The lines of `lhs doctor INDEX`; `rows`: those of its table. */
export function usageLines(usage: IndexUsage, prices: Prices, rows: number): readonly string[] {
  const kinds = Object.entries(usage.bytes).filter(([, size]) => size > 0);
  const { objects, reads } = usage;
  const costs = costsOf(usage, prices);
  const lines =
    kinds.length === 0 ? [] : [kinds.map(([kind, size]) => `${kind} ${bytes(size)}`).join(', ')];
  if (objects !== undefined) {
    const size = `${plural(objects.count, 'object')} in the store, ${bytes(objects.bytes)}`;
    lines.push(`${size}: ${dollars(costs.dollars_a_month)} a month`);
  }
  const each = bytesOfRow(usage, rows);
  if (each > 0) {
    const cost = each * prices.gigabyteMonth;
    lines.push(
      `a billion rows like these: ${bytes(each * GB)}, in a store ${dollars(cost)} a month`,
    );
  }
  if (reads !== undefined) {
    const fetched = `${plural(reads.requests, 'request')}, ${bytes(reads.bytes)}`;
    const million = `${dollars(costs.dollars_a_million_reads)} for a million of them`;
    lines.push(`the last process that read it fetched ${fetched}: ${million}`);
  }
  return lines;
}

/** Bytes of an index for each row of its table; 0 if there is none. */
export function bytesOfRow({ bytes, objects }: IndexUsage, rows: number): number {
  const local = Object.values(bytes).reduce((sum, size) => sum + size, 0);
  return rows === 0 ? 0 : (objects?.bytes ?? local) / rows;
}

/** Dollars; a fraction of a cent with two digits. */
function dollars(value = 0): string {
  const digits = value === 0 ? 0 : Math.ceil(-Math.log10(value)) + 1;
  return `$${value.toFixed(Math.max(2, digits))}`;
}
