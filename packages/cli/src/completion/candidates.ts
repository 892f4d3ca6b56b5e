/** What can stand at the cursor of a command line that begins with `lhs`. */
import type { Command } from '@oclif/core';
import { flagsBehind, isValued } from '../config/flags-first.ts';
import { type Candidates, type NameSources, type Slot, valuesOf } from './values.ts';

/** A command as its manifest describes it. */
type CommandFacts = Pick<Command.Loadable, 'id' | 'flags' | 'args' | 'hidden' | 'strict'>;

/** Commands, and where names come from that no manifest has. */
export interface Sources extends NameSources {
  readonly commands: readonly CommandFacts[];
  readonly pages: () => readonly string[];
}

const words = (found: readonly string[]): Candidates => ({ words: found });

/** The candidates for the last of the words of a line, which may be empty. */
export async function candidates(line: readonly string[], from: Sources): Promise<Candidates> {
  const current = line.at(-1) ?? '';
  const typed = flagsBehind(line.slice(0, -1));
  const isGlobal = typed[0]?.startsWith('-') ?? current.startsWith('--'); // global flags alone
  const value = isGlobal ? await globalValue(typed.at(-1), current, from) : undefined;
  if (value !== undefined) return value;
  const before = isGlobal ? [] : typed;
  const depth = commandDepth(before, from.commands);
  const below = depth === before.length ? namesBelow(before, from.commands) : [];
  if (before[0] === 'help') {
    const pages = before.length === 1 ? from.pages() : [];
    return words([...namesBelow(before.slice(1), from.commands), ...pages]);
  }
  // `lhs NAME` of an index searches it
  const id = depth === 0 && before.length > 0 ? 'search' : before.slice(0, depth).join(':');
  const command = from.commands.find((facts) => facts.id === id);
  if (command === undefined) return words(current.startsWith('-') ? [] : below);
  const values = await commandValues(command, before.slice(depth), current, from);
  return { ...values, words: [...below, ...values.words] };
}

/** Values of a global flag before any command; undefined: none is at the cursor. */
async function globalValue(
  last: string | undefined,
  current: string,
  { commands, ...from }: Sources,
): Promise<Candidates | undefined> {
  const [, joined] = /^--([\w-]+)=/.exec(current) ?? [];
  const name = joined ?? last?.replace(/^--/, '');
  const flag = name && commands.find(({ flags }) => name in flags)?.flags[name];
  if (!flag || !isValued(`--${name}`)) return undefined;
  return flagValues({ ...flag, command: '', name, index: undefined }, current, joined, from);
}

/** Values of a flag, behind its name if both are one word. */
async function flagValues(
  slot: Omit<Slot, 'current'>,
  current: string,
  joined: string | undefined,
  from: NameSources,
): Promise<Candidates> {
  const start = joined === undefined ? '' : `--${joined}=`;
  const found = await valuesOf({ ...slot, current: current.slice(start.length) }, from);
  return { ...found, words: found.words.map((word) => start + word) };
}

/** How many of the words name a command or a topic. */
function commandDepth(line: readonly string[], commands: readonly CommandFacts[]): number {
  let depth = 0;
  while (depth < line.length && !line[depth].startsWith('-')) {
    const prefix = line.slice(0, depth + 1).join(':');
    if (!commands.some(({ id }) => id === prefix || id.startsWith(`${prefix}:`))) break;
    depth++;
  }
  return depth;
}

function namesBelow(line: readonly string[], commands: readonly CommandFacts[]): string[] {
  const prefix = line.length === 0 ? '' : `${line.join(':')}:`;
  const shown = commands.filter(({ id, hidden }) => hidden !== true && id.startsWith(prefix));
  return [...new Set(shown.map(({ id }) => id.slice(prefix.length).split(':')[0]))];
}

const flagsOf = (command: CommandFacts): string[] =>
  Object.entries(command.flags)
    .filter(([, { hidden }]) => hidden !== true)
    .map(([name]) => `--${name}`);

/** Values of a flag, flags, or values of an argument. */
async function commandValues(
  command: CommandFacts,
  line: readonly string[],
  current: string,
  from: NameSources,
): Promise<Candidates> {
  const { flag, positions, isBehindDashes } = readWords(command, line);
  const args = Object.entries(command.args);
  const index = positions[Object.keys(command.args).indexOf('index')];
  const [, head] = /^--([\w-]+)=/.exec(current) ?? [];
  const joined = command.flags[head]?.type === 'option' ? head : undefined;
  const named = flag ?? joined;
  if (named !== undefined && !isBehindDashes) {
    const slot = { ...command.flags[named], command: command.id, name: named, index };
    return flagValues(slot, current, flag === undefined ? joined : undefined, from);
  }
  if (current.startsWith('-') && !isBehindDashes) return words(flagsOf(command));
  const [name, arg] = args[Math.min(positions.length, args.length - 1)] ?? [];
  if (name === undefined) return { words: [], ...(command.strict === false && { paths: 'files' }) };
  return valuesOf({ ...arg, command: command.id, name, index, current }, from);
}

/** The flag whose value is at the cursor, and the arguments so far. */
function readWords({ flags }: CommandFacts, line: readonly string[]) {
  const positions: string[] = [];
  let flag: string | undefined;
  let isBehindDashes = false;
  for (const word of line) {
    if (flag !== undefined) flag = undefined;
    else if (isBehindDashes || !/^-./.test(word)) positions.push(word);
    else if (word === '--') isBehindDashes = true;
    else {
      const name = word.startsWith('--')
        ? word.slice(2)
        : Object.keys(flags).find((key) => flags[key].char === word.slice(1));
      if (name !== undefined && flags[name]?.type === 'option') flag = name;
    }
  }
  return { flag, positions, isBehindDashes };
}
