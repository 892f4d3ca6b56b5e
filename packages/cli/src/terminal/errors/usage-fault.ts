import { existsSync } from 'node:fs';
import { nearest } from '@lakehouse-search/contract/internal';
import { topicOf } from './nouns.ts';
import { sameFlag } from './same-flags.ts';
import { shellWord } from './shell-word.ts';

/** What a command declares of a flag. */
interface DeclaredFlag {
  readonly description?: string;
  readonly helpValue?: string | readonly string[];
}

/** An error of the parser of arguments and flags. */
export interface UsageError extends Error {
  readonly oclif?: { readonly exit?: number };
  /** Flags that do not exist, with their dashes. */
  readonly flags?: readonly string[];
  /** Arguments: definitions of the missing ones, or the words that are too many. */
  readonly args?: readonly (string | { readonly name: string; readonly description?: string })[];
  readonly parse?: {
    readonly input?: {
      readonly argv?: readonly string[];
      readonly args?: Readonly<Record<string, unknown>>;
      readonly flags?: Readonly<Record<string, DeclaredFlag>>;
    };
  };
}

/** What is wrong with a command line, and the ways out. */
export interface UsageFault {
  readonly message: string;
  readonly hints: readonly string[];
}

type Reader = (match: readonly string[], error: UsageError, command: string) => UsageFault;

const fault = (message: string, ...hints: readonly string[]): UsageFault => ({ message, hints });
const quoted = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ');

/** The messages of the parser, and ours. */
const FAULTS: readonly (readonly [RegExp, Reader])[] = [
  [/^Missing \d+ required arg/, (_, error) => missing(error)],
  [/^Nonexistent flags?: (.*)/, ([, names], error) => noFlags(names.split(', '), error)],
  [/^Unexpected arguments?: /, (_, error, command) => tooMany(error, command)],
  [
    /^Expected --([\w-]+)=(.*) to be one of: (.*)/,
    ([, flag, value, options]) => notOneOf(`--${flag} "${value}"`, value, options),
  ],
  [
    /^Expected (.*) to be one of: (.*)/,
    ([, value, options]) => notOneOf(`"${value}"`, value, options),
  ],
  [
    /^Parsing --([\w-]+)[\s:]*Expected an integer( greater than or equal to | less than or equal to )?(-?\d+)? ?but received: (.*)/,
    ([, flag, limit = '', bound = '', value]) => {
      const least = limit.includes('greater') ? ` of ${bound} or more` : '';
      const most = limit.includes('less') ? ` of ${bound} or less` : '';
      return fault(`--${flag} "${value}" should be a whole number${least}${most}`);
    },
  ],
  [/^Flag --([\w-]+) expects/, ([, flag]) => fault(`--${flag} needs a value`)],
  [/^Flag --([\w-]+) can only be specified once/, ([, flag]) => fault(`--${flag} is given twice`)],
  [
    /^Missing required flag ([\w-]+)/,
    ([, flag], error, command) => missingFlag(flag, error, command),
  ],
  [
    /^--([\w-]+)(?:=.*)? cannot also be provided when using --([\w-]+)/,
    ([, one, other]) => fault(`--${one} and --${other} cannot be combined`),
  ],
  [
    /^All of the following must be provided when using --([\w-]+): (.*)/,
    ([, flag, needed]) => fault(`--${flag} needs ${needed}`),
  ],
];

/**
 * The fault that an error of the parser reports, in the style of all other errors. `command`: as it
 * is typed.
 */
export function usageFault(error: UsageError, command = ''): UsageFault {
  const [cause, ...notes] = error.message
    .replace(/\nSee more help with --help$/, '')
    .trim()
    .replace(/^The following errors? occurred:\s*/, '')
    .split(/\n\s*(?:Note: |(?=Alternatively, ))/);
  for (const [pattern, read] of FAULTS) {
    const match = pattern.exec(cause.trim());
    if (match !== null) return read(match, error, command);
  }
  const message = cause.trim().replace(/:?\s*\n\s*/g, ': ');
  return fault(
    message.charAt(0).toLowerCase() + message.slice(1),
    ...notes.map((note) => note.trim()),
  );
}

/** The arguments that are missing, and the flag that may have taken one as its value. */
function missing({ message, args = [], parse }: UsageError): UsageFault {
  const names = args.map((arg) => {
    if (typeof arg === 'string' || arg.description === undefined) {
      return `"${typeof arg === 'string' ? arg : arg.name}"`;
    }
    return `"${arg.name}" (${arg.description})`;
  });
  const flags = /\nNote: (.*?) allows? multiple/.exec(message)?.[1].split(', ') ?? [];
  const taken = flags.filter((flag) => parse?.input?.argv?.includes(flag));
  const lacksIndex = args.some((arg) => typeof arg !== 'string' && arg.name === 'index');
  return fault(
    `missing argument${names.length === 1 ? '' : 's'} ${names.join(', ')}`,
    ...taken.map((flag) => `write arguments before ${flag}, or after --`),
    ...(lacksIndex ? ['lhs list prints the names'] : []),
  );
}

function missingFlag(flag: string, { parse }: UsageError, command: string): UsageFault {
  const { description, helpValue = 'VALUE' } = parse?.input?.flags?.[flag] ?? {};
  const meant = flag === 'table' ? withTable(parse?.input?.argv ?? []) : undefined;
  if (meant !== undefined)
    return fault(`--${flag} is missing`, `did you mean ${[command, ...meant].join(' ')}?`);
  const hint = description === undefined ? [] : [`add --${flag} ${helpValue} (${description})`];
  return fault(`--${flag} is missing`, ...hint);
}

/** `FILE TABLE` as `FILE --table TABLE`; undefined if no word behind a file names a table. */
function withTable(argv: readonly string[]): readonly string[] | undefined {
  const end = argv.findIndex((word) => word.startsWith('-') && word !== '-');
  const files = end < 0 ? argv : argv.slice(0, end);
  const name = files.at(-1) ?? '';
  if (files.length < 2 || !/^\w[\w-]*(\.\w[\w-]*)*$/.test(name) || existsSync(name))
    return undefined;
  const table = name.includes('.') ? name : `my.${name}`;
  const words = [...files.slice(0, -1), '--table', table, ...argv.slice(files.length)];
  return words.map(shellWord);
}

const PAGE = 'in the environment (lhs help object-storage)';
/** Settings of object stores, which are no flags. */
const STORAGE = { endpoint: `set AWS_ENDPOINT_URL ${PAGE}`, region: `set AWS_REGION ${PAGE}` };

function noFlags(names: readonly string[], { parse }: UsageError): UsageFault {
  const { args = {}, flags = {} } = parse?.input ?? {};
  const known = Object.keys(flags);
  const hints = names.flatMap((name) => {
    const bare = name.replace(/^-+|=.*$/gs, '');
    const [storage] = /endpoint|region/.exec('warehouse' in flags ? bare : '') ?? [];
    if (storage !== undefined) return [STORAGE[storage as keyof typeof STORAGE]];
    const same = bare in args ? bare : sameFlag(bare, [...known, ...Object.keys(args)]);
    if (same !== undefined && same in args)
      return [`${same} is an argument: write its value without ${name}`];
    const near = same ?? (bare.length > 1 ? nearest(bare, known) : undefined);
    if (near !== undefined) return [`did you mean --${near}?`];
    if (args.query === undefined) return [];
    if (['i', 'ignore-case'].includes(bare)) return ['words of TEXT fields match in any case'];
    return /^-[a-z]$/i.test(name)
      ? [`to exclude the word "${bare}", write -- before the index`]
      : [];
  });
  const are = names.length === 1 ? 'is no flag' : 'are no flags';
  return fault(`there ${are} ${quoted(names)}`, ...hints);
}

function tooMany({ args = [], parse }: UsageError, command: string): UsageFault {
  const words = args.map(String);
  const are = words.length === 1 ? 'is one argument too many' : 'are too many arguments';
  const flag = words.find((word) => /^--?\w/.test(word));
  const [noun = '', ...rest] = parse?.input?.argv ?? [];
  // `delete index NAME`
  const isNoun = topicOf(noun) !== undefined && rest.length > 0;
  const meant = `did you mean ${[command, ...rest.map(shellWord)].join(' ')}?`;
  const takesQuery = parse?.input?.flags?.query !== undefined;
  const query = takesQuery ? [`did you mean --query ${shellWord(words.join(' '))}?`] : [];
  return fault(
    `${quoted(words)} ${are}`,
    ...(isNoun ? [meant] : flag ? [`write ${flag} before --`] : query),
  );
}

function notOneOf(what: string, value: string, options: string): UsageFault {
  const known = options.split(', ');
  const [, same = ''] = sameFlag(value, ['format'])?.split(' ') ?? [];
  const near = known.includes(same) ? same : nearest(value, known);
  const hint = near === undefined ? [] : [`did you mean ${near}?`];
  return fault(`${what} should be one of ${options}`, ...hint);
}
