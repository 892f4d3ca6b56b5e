/**
 * True if a query string has a clause of a field: then its clauses are conditions, and all of them
 * are meant. Quoted texts, escapes and `*:*` do not count.
 */
export const hasFieldClause = (query: string): boolean =>
  /[^\s:([]:\S/.test(query.replace(/\\.|"(?:[^"\\]|\\.)*"|\*:\*/g, '_'));

/** The clause of a field for words or a value, as the query syntax writes them. */
export const fieldClause = (name: string, words: string): string =>
  `${name.replace(/[^\p{L}\p{N}_.]/gu, '\\$&')}:${words}`;
