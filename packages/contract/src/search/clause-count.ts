import { withCommas } from '../with-commas.ts';

/**
 * How many documents one clause of a query finds alone: what to look at when the whole query finds
 * nothing.
 */
export interface ClauseCount {
  /** The clause as the user wrote it. */
  readonly clause: string;
  readonly total: number;
  /** Of more than two clauses, if this one is required: what the others find; absent: nothing. */
  readonly total_without?: number;
  /** The likely clause, if this one finds nothing or less than the word in it. */
  readonly suggestion?: string;
  /** Documents that the suggestion finds. */
  readonly suggestion_total?: number;
  /**
   * Clauses of other fields, or of values with the word in them, that find a word without a field,
   * if it finds nothing or less than they do: at most 3.
   */
  readonly elsewhere?: readonly ClauseElsewhere[];
}

/** A clause of another field, and how many documents it finds. */
export interface ClauseElsewhere {
  readonly clause: string;
  readonly total: number;
}

/** `did you mean billing? 3 hits; without it 12`; empty if there is neither. */
export function meantText(count: ClauseCount): string {
  const { suggestion, suggestion_total: total, total_without: rest } = count;
  const hits = total === undefined ? '' : ` ${withCommas(total)} ${total === 1 ? 'hit' : 'hits'}`;
  const hints = [
    ...(suggestion === undefined ? [] : [`did you mean ${suggestion}?${hits}`]),
    ...(rest === undefined ? [] : [`without it ${withCommas(rest)}`]),
  ];
  return hints.join('; ');
}

/** `service:biling: 0 (did you mean service:billing? 3 hits; without it 12)`. */
export function clauseText(count: ClauseCount): string {
  const hint = meantText(count);
  return `${count.clause}: ${withCommas(count.total)}${hint === '' ? '' : ` (${hint})`}`;
}
