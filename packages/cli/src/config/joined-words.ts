/** What a command declares of its arguments and flags. */
interface Declared {
  readonly args?: object | undefined;
  readonly flags?: Readonly<Record<string, DeclaredFlag>> | undefined;
}

/** A flag of a command. */
interface DeclaredFlag {
  readonly type: string;
  readonly char?: string | undefined;
  readonly aliases?: readonly string[] | undefined;
  readonly charAliases?: readonly string[] | undefined;
}

/**
 * Returns the command line with the words of its text joined, if its last argument is a text:
 * without quotes, and with words that begin with one `-` and are no flag, unless they are one
 * letter. Each flag takes one value. Flags come first, then `--`, then the arguments.
 */
export function joinedWords(argv: readonly string[], { args, flags = {} }: Declared): string[] {
  const names = Object.keys(args ?? {});
  if (!['query', 'text'].includes(names.at(-1) ?? '')) return [...argv];
  const before = names.length - 1;
  const { options, words, verbatim, lacksValue } = split(argv, flags, before);
  if (lacksValue) return [...argv];
  const all = [...words, ...verbatim];
  const text = all.slice(before);
  const hasFlag = verbatim.length > 1 && verbatim.some((word) => /^--\w/.test(word));
  const joined = hasFlag || text.length === 0 ? text : [text.join(' ')];
  return [...options, '--', ...all.slice(0, before), ...joined];
}

/** The flags with their values, the words before `--`, and those after it. */
function split(argv: readonly string[], flags: NonNullable<Declared['flags']>, before: number) {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const options: string[] = [];
  const words: string[] = [];
  let lacksValue = false;
  for (let i = 0; i < end; i++) {
    const word = argv[i];
    const flag = flagOf(word, flags);
    const isNegation = /^-(?![a-zA-Z]$)[^-]/.test(word) && words.length >= before;
    if (flag === undefined && (!/^-./.test(word) || isNegation)) words.push(word);
    else options.push(word);
    const isAlone = word.startsWith('--') ? !word.includes('=') : word.length === 2;
    if (flag?.type !== 'option' || !isAlone) continue;
    if (++i < end) options.push(argv[i]);
    else lacksValue = true;
  }
  return { options, words, verbatim: argv.slice(end + 1), lacksValue };
}

/** The flag of a word: `--limit`, `--limit=5`, `-n`, `-n5`, `-n=5`. */
function flagOf(word: string, flags: NonNullable<Declared['flags']>): DeclaredFlag | undefined {
  const [, long, short] = /^--([\w-]+)(?:=.*)?$|^-(\w)(?:\d*|=.*)$/s.exec(word) ?? [];
  if (short !== undefined) {
    const declared = Object.values(flags);
    return declared.find(({ char, charAliases = [] }) => [char, ...charAliases].includes(short));
  }
  const byAlias = () => Object.values(flags).find(({ aliases }) => aliases?.includes(long));
  return long === undefined ? undefined : (flags[long] ?? byAlias());
}
