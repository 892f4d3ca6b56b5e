import {
  type AggSpec,
  type HybridRequest,
  type Json,
  LhsError,
  type SortSpec,
} from '@lakehouse-search/contract';
import { jsonValue, sortOfText } from '@lakehouse-search/contract/internal';
import { readText } from '../files/read-text.ts';

/** `a,b` -> ['a', 'b']. */
export function list(text: string | undefined): string[] | undefined {
  return text
    ?.split(',')
    .map((s) => s.trim())
    .filter((s) => s !== '');
}

/** `opened_at:desc,service` -> sort specs. Throws invalid_argument. */
export function sortSpecs(text: string): SortSpec[] {
  return text.split(',').map((part) => {
    const spec = sortOfText(part);
    if (spec !== null) return spec;
    const [, field, order] = /^([^:]+):(.*)$/.exec(part.trim()) ?? [];
    if (field === undefined) {
      const message = `--sort "${text.trim()}" should be like opened_at:desc,service`;
      throw new LhsError('invalid_argument', message);
    }
    const message = `--sort "${text.trim()}": "${order}" is no order`;
    const hint = `write ${field}:desc or ${field}:asc`;
    throw new LhsError('invalid_argument', message, { hint });
  });
}

/** The values of `--after`. Throws invalid_argument. */
export function afterValues(text: string): Json[] {
  let values: unknown;
  try {
    values = jsonValue(text, '--after');
  } catch (cause) {
    throw notAfter(text, cause);
  }
  if (Array.isArray(values)) return values as Json[];
  throw notAfter(text);
}

function notAfter(text: string, cause?: unknown): LhsError {
  return new LhsError('invalid_argument', `--after ${text} should be a JSON array`, {
    hint: 'pass the "sort" of the last hit unchanged, in single quotes',
    cause,
  });
}

/** The finite number of a flag. Throws invalid_argument. */
export function numberOf(flag: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new LhsError('invalid_argument', `${flag} "${text}" should be a number`);
}

/** `1,2` -> the weights of both arms. Throws invalid_argument. */
export function weightsOf(text: string): HybridRequest['weights'] {
  const parts = text.split(',');
  if (parts.length !== 2) {
    const message = `--weights "${text}" should be two numbers LEXICAL,SEMANTIC, such as 1,2`;
    throw new LhsError('invalid_argument', message);
  }
  const [lexical, semantic] = parts.map((part) => numberOf('--weights', part));
  return { lexical, semantic };
}

/** The numbers of `--vector`: a JSON array, or `@` and a file of one. Throws invalid_argument. */
export async function vectorOf(text: string): Promise<number[]> {
  const json = text.startsWith('@') ? await readText(text.slice(1)) : text;
  const where = text.startsWith('@') ? `file "${text.slice(1)}"` : `--vector ${text}`;
  let values: unknown;
  try {
    values = jsonValue(json, where);
  } catch (cause) {
    throw notNumbers(where, cause);
  }
  if (Array.isArray(values) && values.every((value) => typeof value === 'number')) return values;
  throw notNumbers(where);
}

function notNumbers(where: string, cause?: unknown): LhsError {
  const shown = where.length > 60 ? `${where.slice(0, 60)}…` : where;
  const message = `${shown} should be a JSON array of numbers`;
  return new LhsError('invalid_argument', message, { cause });
}

/** The aggregations of `--aggs`: a JSON object, or `@` and a file of one. Throws invalid_argument. */
export async function aggsOf(text: string): Promise<Record<string, AggSpec>> {
  const json = text.startsWith('@') ? await readText(text.slice(1)) : text;
  const value = jsonValue(json, text.startsWith('@') ? `file "${text.slice(1)}"` : '--aggs');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { ...(value as Record<string, AggSpec>) };
  }
  throw new LhsError('invalid_argument', '--aggs should be an object {"name": {"terms": {…}}}');
}

/** The seconds of a flag in milliseconds. Throws invalid_argument. */
export function millis(flag: string, seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(seconds)) return Math.round(Number(seconds) * 1000);
  throw new LhsError('invalid_argument', `${flag} "${seconds}" should be seconds, like 5 or 0.5`);
}
