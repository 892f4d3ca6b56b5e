/** A word as a POSIX shell reads it back: in single quotes if it has other than plain characters. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
