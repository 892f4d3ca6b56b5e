/** Corrections of a query string, and the query string that they make. */
import { LhsError } from '@lakehouse-search/contract';
import type { Span } from '../query.ts';

/** A span of the text, its replacement, and what the span does as written. */
export interface Correction extends Span {
  readonly text: string;
  readonly why: string;
}

/** A suggested query, and the reason for the suggestion. */
export interface MeantQuery {
  readonly why: string;
  readonly query: string;
}

/** Returns the text with its corrections; undefined: there are none. */
export function meantQuery(text: string, all: readonly Correction[]): MeantQuery | undefined {
  const corrections = apart(all);
  if (corrections.length === 0) return undefined;
  const why = [...new Set(corrections.map((correction) => correction.why))].join(', ');
  const query = corrections.reduceRight(
    (out, { from, to, text: part }) => out.slice(0, from) + part + out.slice(to),
    text,
  );
  return { why, query };
}

/** The note on a query that was probably meant otherwise. */
export const meantNote = ({ why, query }: MeantQuery): string =>
  `${why}: perhaps you mean ${query}`;

/** The error with another message and the query that was probably meant as its way out. */
export function meantError(error: LhsError, message: string, query: string, why = ''): LhsError {
  const { code, place } = error;
  const hint = why === '' ? `perhaps you mean ${query}` : meantNote({ why, query });
  const details = { ...error.details, suggested_query: query };
  return new LhsError(code, message, { hint, place, details, cause: error });
}

/** The corrections in the order of the text, none inside of another. */
function apart(all: readonly Correction[]): readonly Correction[] {
  const sorted = all.toSorted((a, b) => a.from - b.from || b.to - a.to);
  return sorted.filter(({ from }, i) => sorted.slice(0, i).every(({ to }) => to <= from));
}
