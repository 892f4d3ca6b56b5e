import { type ErrorCode, LhsError } from '@lakehouse-search/contract';

/** An error at pattern[from .. to). The place is inside the pattern. */
export function regexError(
  pattern: string,
  from: number,
  to: number,
  message: string,
  hint: string,
  code: ErrorCode = 'invalid_query',
): LhsError {
  const shown = pattern.length > 60 ? `${pattern.slice(0, 60)}…` : pattern;
  return new LhsError(code, `regular expression /${shown}/: ${message}`, {
    hint,
    place: { text: pattern, from, to: Math.min(to, pattern.length) },
  });
}
