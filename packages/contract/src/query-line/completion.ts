import { queryWords } from './query-words.ts';

/** A line of a query under a cursor; `at` counts UTF-16 units. */
export interface QueryLine {
  readonly text: string;
  readonly at: number;
}

/** The word at the cursor that can be completed: a field's name or one of its values. */
export interface CompletionPlace {
  readonly from: number;
  readonly to: number;
  /** What has been typed of it. */
  readonly typed: string;
  /** The field whose value it is; undefined: a field's name, or a word of the default field. */
  readonly field: string | undefined;
}

/** A text that can stand in the place, and how many documents have it. */
export interface CompletionItem {
  readonly label: string;
  readonly insert: string;
  readonly count?: number;
}

/** Where the cursor is at the end of an unfinished word; undefined elsewhere. */
export function completionPlace({ text, at }: QueryLine): CompletionPlace | undefined {
  const words = queryWords(text);
  const word = words.find(({ from, to }) => from < at && at <= to);
  if (word === undefined || at !== word.to) return undefined;
  if (word.kind === 'field') {
    return { from: at, to: at, typed: '', field: text.slice(word.from, word.to - 1) };
  }
  if (word.kind !== 'word' && word.kind !== 'quoted') return undefined;
  const typed = text.slice(word.from, word.to);
  if (word.kind === 'word' || !/^".*[^\\]"$/s.test(typed)) {
    return { from: word.from, to: word.to, typed: bare(typed), field: word.field };
  }
  return undefined;
}

/** Fields whose names begin with what has been typed. */
export function fieldItems(place: CompletionPlace, fields: readonly string[]): CompletionItem[] {
  if (place.field !== undefined || place.typed === '') return [];
  const typed = place.typed.toLowerCase();
  return fields
    .filter((name) => name.toLowerCase().startsWith(typed))
    .map((name) => ({ label: `${name}:`, insert: `${name}:` }));
}

/** A value as the query language reads it: in quotes unless it is a plain word. */
export function queryValue(value: string): string {
  if (/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(value) && !/^(and|or|not|to)$/i.test(value)) {
    return value;
  }
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}

function bare(typed: string): string {
  return typed.replace(/^"/, '').replace(/\\(.)/gs, '$1');
}
