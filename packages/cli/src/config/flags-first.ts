/** Global flags with a value. */
const VALUED = ['--data-dir', '--url', '--profile'];
const PLAIN = ['--json', '--debug'];

/** Whether a word is a global flag with a value behind it. */
export const isValued = (word: string): boolean => VALUED.includes(word);

/** The words of a command line with the global flags before its command behind it. */
export function flagsBehind(args: readonly string[]): readonly string[] {
  let at = 0;
  for (let word = args[0]; word !== undefined; word = args[at]) {
    if (isValued(word)) at += 2;
    else if (PLAIN.includes(word) || VALUED.includes(word.split('=')[0])) at += 1;
    else break;
  }
  const [first, rest] = [args.slice(0, at), args.slice(at)];
  if (first.length === 0 || rest.length === 0) return args;
  const end = rest.indexOf('--');
  return end < 0 ? [...rest, ...first] : [...rest.slice(0, end), ...first, ...rest.slice(end)];
}

/** The values of the global flags of a command line, by their names. */
export const globalValues = (words: readonly string[]): Readonly<Record<string, string>> =>
  valuesIn(words, VALUED);

/** The values of flags in a command line, by their names. */
export function valuesIn(
  words: readonly string[],
  flags: readonly string[],
): Readonly<Record<string, string>> {
  const found = words.flatMap((word, i) => {
    const [flag, ...rest] = word.split('=');
    const value = rest.length > 0 ? rest.join('=') : words[i + 1];
    return flags.includes(flag) && value !== undefined ? [[flag.slice(2), value]] : [];
  });
  return Object.fromEntries(found);
}
