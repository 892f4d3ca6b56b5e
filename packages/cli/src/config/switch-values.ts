import { LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';

/** The option that replaces a switch with a value. */
const OPTIONS: Readonly<Record<string, string>> = {
  highlight: 'highlight-fields',
  hydrate: 'columns',
};

/** Flags of a command by name. */
type DeclaredFlags = Readonly<Record<string, { readonly type: string }>>;

/**
 * The command line with a blank before `-name` as the order or the query of a flag: the parser of
 * flags would read `-n`.
 */
export function spacedValues(argv: readonly string[]): string[] {
  return argv.map((word, i) => {
    if (isBehindDashes(argv, i)) return word;
    if (/^--(?:sort|filter|query)$/.test(argv[i - 1]) && /^-\w[\w.]/.test(word)) return ` ${word}`;
    return word.replace(/^(--(?:sort|filter|query)=)-/, '$1 -');
  });
}

/** The command line with `--sort price desc` as `--sort price:desc`. */
export function joinedOrder(argv: readonly string[]): string[] {
  const at = argv.indexOf('--sort');
  const [field, order] = argv.slice(at + 1);
  const isOrder = at >= 0 && /^(?:asc|desc)$/i.test(order ?? '') && !isBehindDashes(argv, at);
  return isOrder ? argv.toSpliced(at + 1, 2, `${field} ${order}`) : [...argv];
}

/**
 * The command line with `--highlight=title` as `--highlight-fields=title`. Throws invalid_argument
 * for a value of another switch, which the parser would take as an argument.
 */
export function switchValues(argv: readonly string[], flags: DeclaredFlags): string[] {
  return argv.map((word, i) => {
    const [, name, value] = /^--([\w-]+)=(.*)$/s.exec(word) ?? [];
    if (flags[name]?.type !== 'boolean' || isBehindDashes(argv, i)) return word;
    const option = OPTIONS[name];
    if (flags[option] !== undefined) return `--${option}=${value}`;
    throw new LhsError('invalid_argument', `--${name} takes no value, and has "${value}"`);
  });
}

const isBehindDashes = (argv: readonly string[], at: number): boolean =>
  argv.includes('--') && argv.indexOf('--') < at;

/**
 * Throws invalid_argument if the word behind such a switch is a field of the index: it would be
 * taken as a word of the query.
 */
export async function refuseFieldBehindSwitch(
  argv: readonly string[],
  backend: BackendApi,
  index: string,
): Promise<void> {
  for (const name of Object.keys(OPTIONS)) {
    const at = argv.indexOf(`--${name}`);
    const word = argv[at + 1];
    if (at < 0 || word === undefined || word === index || isBehindDashes(argv, at)) continue;
    if (!/^[^-]/.test(word)) continue;
    const { fields } = await backend.describeIndex({ index });
    if (!word.split(',').every((part) => fields.some((field) => field.name === part))) continue;
    throw new LhsError('invalid_argument', `"${word}" behind --${name} is a word of the query`, {
      hint: `write --${name}=${word}, or the query before --${name}`,
    });
  }
}
