import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import type { CodePointRange } from './utf8.ts';

/** A regular expression as a tree. `max` absent: without end. */
export type RegexNode =
  | { readonly kind: 'point'; readonly point: number }
  | { readonly kind: 'set'; readonly ranges: readonly CodePointRange[] }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly parts: readonly RegexNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: RegexNode;
      readonly min: number;
      readonly max: number | undefined;
    };

/** The same code points in sorted, disjoint ranges. */
export function merge(ranges: readonly CodePointRange[]): CodePointRange[] {
  const out: [number, number][] = [];
  for (const [lo, hi] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last !== undefined && lo <= last[1] + 1) last[1] = Math.max(last[1], hi);
    else out.push([lo, hi]);
  }
  return out;
}

/** Every code point that is not in the ranges (sorted, disjoint). */
export function complement(ranges: readonly CodePointRange[]): CodePointRange[] {
  const out: CodePointRange[] = [];
  let next = 0;
  for (const [lo, hi] of ranges) {
    if (lo > next) out.push([next, lo - 1]);
    next = hi + 1;
  }
  if (next <= 0x10ffff) out.push([next, 0x10ffff]);
  return out;
}

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
