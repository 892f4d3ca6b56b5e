/** A SQL text literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A SQL identifier, quoted. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
