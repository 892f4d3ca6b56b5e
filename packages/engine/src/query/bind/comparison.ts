import { escapeField } from '../syntax/characters.ts';

const COMPARISON = /^([\p{L}\p{N}_.]+)\s*(>=|<=|!=|==?|>|<)\s*([^\s<>=!]\S*)$/u;

/** A comparison such as `severity>=3` or `service = billing`, which the syntax reads as words. */
export interface WrittenComparison {
  readonly name: string;
  /** The clause that means it, of the field with a name. */
  clause(field: string): string;
}

/** The comparison that a text is; null: it is none. */
export function readComparison(text: string): WrittenComparison | null {
  const found = COMPARISON.exec(text);
  if (found === null) return null;
  const [, name, sign, value] = found;
  const isEqual = sign.startsWith('=') || sign === '!=';
  return {
    name,
    clause: (field) =>
      `${sign === '!=' ? '-' : ''}${escapeField(field)}:${isEqual ? '' : sign}${value}`,
  };
}
