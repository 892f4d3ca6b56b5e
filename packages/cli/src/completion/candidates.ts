/** What can stand at the cursor of a command line that begins with `lhs`. */
import type { Backend } from '@lakehouse-search/contract';
import type { Command } from '@oclif/core';
import { SETTING_KEYS } from '../config/setting-keys.ts';

/** Words to offer, and whether names of files fit as well. */
export interface Candidates {
  readonly words: readonly string[];
  readonly files: boolean;
}

/** A command as its manifest describes it. */
type CommandFacts = Pick<Command.Loadable, 'id' | 'flags' | 'args' | 'hidden' | 'strict'>;

/** Where names come from that no manifest has. */
export interface NameSources {
  readonly commands: readonly CommandFacts[];
  /** The backend of the command line; undefined if it cannot be opened. */
  readonly backend: () => Promise<
    Pick<Backend, 'listIndexes' | 'listAliases' | 'describeIndex'> | undefined
  >;
  readonly profiles: () => readonly string[];
  readonly catalogs: () => readonly string[];
}

const NONE: Candidates = { words: [], files: false };
const FILES: Candidates = { words: [], files: true };

/** Flags and arguments whose values are names of fields; lists of fields go on after a comma. */
const FIELD_FLAGS: ReadonlySet<string> = new Set([
  ...['sort', 'fields', 'columns', 'collapse', 'facet', 'field', 'terms', 'stats', 'histogram'],
  ...['cardinality', 'percentiles', 'avg', 'min', 'max', 'sum', 'vector-field', 'lexical-fields'],
]);
/** Flags and arguments whose values are files or folders, whatever their help says. */
const FILE_VALUE = /FILE|DIR|PLACE/;

/** The candidates for the last of `words`, which may be empty. */
export async function candidates(words: readonly string[], from: NameSources): Promise<Candidates> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const depth = commandDepth(before, from.commands);
  const command = from.commands.find(({ id }) => id === before.slice(0, depth).join(':'));
  const below = depth === before.length ? namesBelow(before, from.commands) : [];
  if (current.startsWith('-'))
    return { words: command === undefined ? [] : flagsOf(command), files: false };
  if (command === undefined) return { words: below, files: false };
  const values = await commandValues(command, before.slice(depth), current, from);
  return { words: [...below, ...values.words], files: values.files };
}

/** How many of the words name a command or a topic. */
function commandDepth(words: readonly string[], commands: readonly CommandFacts[]): number {
  let depth = 0;
  while (depth < words.length && !words[depth].startsWith('-')) {
    const prefix = words.slice(0, depth + 1).join(':');
    if (!commands.some(({ id }) => id === prefix || id.startsWith(`${prefix}:`))) break;
    depth++;
  }
  return depth;
}

function namesBelow(words: readonly string[], commands: readonly CommandFacts[]): string[] {
  const prefix = words.length === 0 ? '' : `${words.join(':')}:`;
  const shown = commands.filter(({ id, hidden }) => hidden !== true && id.startsWith(prefix));
  return [...new Set(shown.map(({ id }) => id.slice(prefix.length).split(':')[0]))];
}

const flagsOf = (command: CommandFacts): string[] =>
  Object.entries(command.flags)
    .filter(([, { hidden }]) => hidden !== true)
    .map(([name]) => `--${name}`);

async function commandValues(
  command: CommandFacts,
  words: readonly string[],
  current: string,
  from: NameSources,
): Promise<Candidates> {
  const { flag, positions } = readWords(command, words);
  const index = positions[0];
  if (flag !== undefined) {
    const { options = [], helpValue } = command.flags[flag] as FlagFacts;
    return valuesOf(flag, { options, helpValue }, current, index, from);
  }
  const args = Object.entries(command.args);
  const [name, arg] = args[Math.min(positions.length, args.length - 1)] ?? [];
  if (name === undefined || arg === undefined) return command.strict === false ? FILES : NONE;
  const { options = [] } = arg as { readonly options?: readonly string[] };
  return valuesOf(name, { options }, current, index, from);
}

interface FlagFacts {
  readonly options?: readonly string[];
  readonly helpValue?: string | readonly string[] | undefined;
}

/** The flag whose value is at the cursor, and the arguments so far. */
function readWords({ flags }: CommandFacts, words: readonly string[]) {
  const positions: string[] = [];
  let flag: string | undefined;
  for (const word of words) {
    if (flag !== undefined) flag = undefined;
    else if (/^-./.test(word)) {
      const name = word.startsWith('--')
        ? word.slice(2)
        : Object.keys(flags).find((key) => flags[key].char === word.slice(1));
      const known = name === undefined ? undefined : flags[name];
      if (known?.type === 'option') flag = name;
    } else positions.push(word);
  }
  return { flag, positions };
}

async function valuesOf(
  name: string,
  { options = [], helpValue }: FlagFacts,
  current: string,
  index: string | undefined,
  from: NameSources,
): Promise<Candidates> {
  if (options.length > 0) return { words: options, files: false };
  if (name === 'index') return { words: await indexNames(from), files: false };
  if (name === 'key' && index === undefined) return { words: SETTING_KEYS, files: false };
  if (name === 'profile') return { words: from.profiles(), files: false };
  if (name === 'catalog') return { words: from.catalogs(), files: true };
  if (FIELD_FLAGS.has(name)) return fieldWords(current, await fieldNames(index, from));
  if (name === 'query' || name === 'filter') {
    const fields = await fieldNames(index, from);
    return { words: fields.map((field) => `${field}:`), files: false };
  }
  const isFile = ['file', 'files', 'folder', 'place'].includes(name);
  return isFile || FILE_VALUE.test(String(helpValue)) ? FILES : NONE;
}

/** Names for the last part of a list: `title,opened_at` offers what follows the comma. */
function fieldWords(current: string, names: readonly string[]): Candidates {
  const done = current.slice(0, current.lastIndexOf(',') + 1);
  return { words: names.map((name) => done + name), files: false };
}

async function indexNames(from: NameSources): Promise<string[]> {
  const backend = await from.backend();
  if (backend === undefined) return [];
  const [indexes, aliases] = await Promise.all([backend.listIndexes(), backend.listAliases()]);
  return [...indexes.map((one) => one.name), ...aliases.map((one) => one.alias)];
}

async function fieldNames(index: string | undefined, from: NameSources): Promise<string[]> {
  const backend = index === undefined ? undefined : await from.backend();
  if (backend === undefined || index === undefined) return [];
  const { fields } = await backend.describeIndex({ index });
  return fields.map(({ name }) => name);
}
