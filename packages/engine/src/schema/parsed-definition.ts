import type { Definition } from './definition.ts';

/**
 * Counts up with every change of `Definition` or of what the parser makes of a text: what was
 * stored before is then parsed again.
 */
export const PARSED_FORMAT = 1;

/**
 * A checked definition as JSON, to be kept beside its text: reading it back costs nothing, parsing
 * the text costs loading a YAML parser, which takes longer than a search.
 */
export function storeParsed({ text: _, ...parsed }: Definition): string {
  return JSON.stringify({ format: PARSED_FORMAT, parsed });
}

/** The definition that `storeParsed` stored, with its text; null where it has another format. */
export function readParsed(stored: string | null, text: string): Definition | null {
  if (stored === null) return null;
  const { format, parsed } = JSON.parse(stored) as { format: number; parsed: Definition };
  return format === PARSED_FORMAT ? Object.freeze({ ...parsed, text }) : null;
}
