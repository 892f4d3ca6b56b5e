import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import type { Bound, Span } from '../query.ts';

/** `default` has AND, OR, NOT; `kql` has and, or, not as well. Nothing else differs. */
export type Syntax = 'default' | 'kql';

/**
 * One token of a query string. A word keeps two texts: `text` without escapes, and `pattern`, where
 * `*` and `?` are wildcards and a literal `*`, `?` or `\` has a backslash before it.
 */
export type Token = Span &
  (
    | { readonly kind: 'open' | 'close' | 'and' | 'or' | 'plus' | 'end' }
    | { readonly kind: 'not'; readonly sign: boolean }
    | { readonly kind: 'field'; readonly name: string; readonly any: boolean }
    | {
        readonly kind: 'word';
        readonly text: string;
        readonly pattern: string;
        readonly wildcards: number;
      }
    | {
        readonly kind: 'quoted';
        readonly text: string;
        /** A `*` follows it directly: its last word is the beginning of one. */
        readonly prefix: boolean;
      }
    | { readonly kind: 'regex'; readonly pattern: string }
    | { readonly kind: 'range'; readonly lower?: Bound; readonly upper?: Bound }
    | { readonly kind: 'tilde'; readonly value: number | undefined }
    | { readonly kind: 'boost'; readonly factor: number }
  );

/**
 * An error at text[from .. to): always an LhsError with its place and, where there is one, a hint.
 */
export function queryError(
  text: string,
  at: Span,
  message: string,
  hint?: string,
  code: ErrorCode = 'invalid_query',
): LhsError {
  return new LhsError(code, message, {
    place: { text, from: at.from, to: at.to },
    ...(hint === undefined ? {} : { hint }),
  });
}
