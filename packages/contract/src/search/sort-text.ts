import type { SortSpec } from './request.ts';

/**
 * A sort key of a text: `opened_at`, `opened_at:desc` or `-opened_at`; null if it is none. Names
 * have no colon and do not begin with a sign; those of columns, which the index names in another
 * way, may have blanks.
 */
export function sortOfText(text: string): SortSpec | null {
  const found = /^\s*([+-]?)([^\s:+-][^:]*?)(?:(?:\s*:\s*|\s+)(asc|desc)(?:ending)?)?\s*$/i.exec(
    text,
  );
  if (found === null) return null;
  const [, sign, field, order] = found;
  if (sign !== '' && order !== undefined) return null;
  return { field, desc: sign === '-' || order?.toLowerCase() === 'desc' };
}
