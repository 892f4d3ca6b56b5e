/** The text with an end of its last phrase and of its groups, without operators at its edges; none: it has them. */
export function ended(text: string): readonly string[] {
  const quotes = [...text.matchAll(/(?<!\\)"/g)];
  const phrase = quotes.length % 2 === 1 ? `${text.trimEnd()}"` : text;
  const clauses = phrase.replace(/^\s*(?:(?:AND|OR)\s+)+|(?:\s+(?:AND|OR|NOT))+\s*$/g, '');
  const plain = clauses.replace(/"[^"]*"/g, '').replace(/\\./g, '');
  const isGroup = /(?:^|[:(+-]|(?:AND|OR|NOT)\s+)\(/.test(plain);
  const groups = isGroup ? plain.split('(').length - plain.split(')').length : 0;
  const all = clauses + ')'.repeat(Math.max(0, groups));
  return all === text || all.endsWith('""') ? [] : [all];
}
