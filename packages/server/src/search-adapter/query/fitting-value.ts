/** Whether a text is a value of a field: what does not fit finds nothing where a query is lenient. */
import { isIP } from 'node:net';
import { dateInstant } from './date-tree.ts';
import type { TableField } from './field-table.ts';
import { RefusedDsl } from './refusal.ts';
import type { QueryScope } from './scope.ts';

const LEAST_LONG = -(2n ** 63n);
const MOST_LONG = 2n ** 63n - 1n;

/** Whether a text is a value of a field. */
export function fitsField(field: TableField, text: string, scope: QueryScope): boolean {
  switch (field.type) {
    case 'LONG':
      return /^-?\d+$/.test(text) && BigInt(text) >= LEAST_LONG && BigInt(text) <= MOST_LONG;
    case 'DOUBLE':
      return text.trim() !== '' && Number.isFinite(Number(text));
    case 'BOOL':
      return text === 'true' || text === 'false';
    case 'IP':
      return isIP(text.split('/')[0]) > 0;
    case 'DATE':
      return isDate(field, text, scope);
    default:
      return true;
  }
}

function isDate(field: TableField, text: string, scope: QueryScope): boolean {
  try {
    dateInstant(field, text, {}, scope);
    return true;
  } catch (error) {
    if (error instanceof RefusedDsl) return false;
    throw error;
  }
}

/** Whether a number is of a LONG field's range but no whole number: no document has it. */
export const isFraction = ({ type }: TableField, text: string): boolean =>
  type === 'LONG' &&
  /[.e]/i.test(text) &&
  /^-?\d*\.?\d+(?:e[+-]?\d+)?$/i.test(text) &&
  !Number.isInteger(Number(text));
