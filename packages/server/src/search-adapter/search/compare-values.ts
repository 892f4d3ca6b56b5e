/** The order of values of a field as the wire has them. */
import type { Json } from '@lakehouse-search/contract';
import { microsOfIso } from '../base/date-format.ts';
import { unserved } from '../query/refusal.ts';

/**
 * Below 0 if `a` comes before `b`; neither is null. Large integers are texts, dates ISO-8601; texts
 * are in the order of their bytes. Throws RefusedDsl for addresses, whose texts have no order.
 */
export function compareValues(a: Json, b: Json, type: string): number {
  switch (type) {
    case 'LONG': {
      const [x, y] = [BigInt(String(a)), BigInt(String(b))];
      return x < y ? -1 : x > y ? 1 : 0;
    }
    case 'DOUBLE':
      return compareNumbers(Number(a), Number(b));
    case 'BOOL':
      return Number(a === true || a === 'true') - Number(b === true || b === 'true');
    case 'DATE':
      return compareNumbers(instantOf(a), instantOf(b));
    case 'IP':
      throw unserved('an order by addresses over several indexes is not served by this adapter');
    default:
      return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
  }
}

/** NaN is above all numbers. */
function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

const instantOf = (json: Json): number =>
  typeof json === 'string' ? (microsOfIso(json) ?? Number(json)) : Number(json);
