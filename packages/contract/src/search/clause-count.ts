/**
 * How many documents one clause of a query finds alone: what to look at when the whole query finds
 * nothing.
 */
export interface ClauseCount {
  /** The clause as the user wrote it. */
  readonly clause: string;
  readonly total: number;
  /** If the clause finds nothing: the clause that was probably meant, in the query syntax. */
  readonly suggestion?: string;
  /** Documents that the suggestion finds. */
  readonly suggestion_total?: number;
  /** If a word without a field finds nothing: clauses that find it in other fields, at most 3. */
  readonly elsewhere?: readonly ClauseElsewhere[];
}

/** A clause of another field, and how many documents it finds. */
export interface ClauseElsewhere {
  readonly clause: string;
  readonly total: number;
}

const figure = (count: number): string => count.toLocaleString('en-US');

/** `did you mean billing? 3 hits`; empty without a suggestion. */
export function meantText({ suggestion, suggestion_total: total }: ClauseCount): string {
  if (suggestion === undefined) return '';
  const hits = total === undefined ? '' : ` ${figure(total)} ${total === 1 ? 'hit' : 'hits'}`;
  return `did you mean ${suggestion}?${hits}`;
}

/** `service:biling: 0 (did you mean service:billing? 3 hits)`. */
export function clauseText(count: ClauseCount): string {
  const hint = meantText(count);
  return `${count.clause}: ${figure(count.total)}${hint === '' ? '' : ` (${hint})`}`;
}
