/** Where a printed line has a command: at its start, behind `next: `, in brackets, in a chain. */
import { shellWord } from './shell-word.ts';

const COMMAND =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line may begin with a style
  /(^(?:\u001b\[[\d;]*m)*\s*(?:(?:next|fields|more):? +)?|\(|&& |, then |, )lhs (?=[-a-z]|COMMAND)/g;
/** Where a message has one: anywhere, unless `lhs` is the name of the program in a sentence. */
const IN_MESSAGE =
  /(^|(?<!npx)[^\w/.-])lhs (?=(?!(?:again|can|has|is|needs|cannot)\b)[-a-z]|COMMAND)/g;

/** A line that is one command to copy: what comes before, the command, the end of a style. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a line may have a style
const ALONE = /^((?:\u001b\[[\d;]*m)*(?:next:? +|fields: | {2,3}))(lhs [a-z][^\u001b]*)(.*)$/s;
/** A command in brackets behind a sentence. */
const BRACKETED = /\((lhs [a-z][^()]*)\)/g;
/** Words behind a command, or a pipe. */
const NOT_ALONE = /\| | deletes the old files$| --help$|\(or /;
/** Between the commands of a line. */
const JOINT = /( && |, (?:then )?)(?=lhs [a-z])/g;
/** What a shell takes as it stands: no separator, flag or command is in it. */
const QUOTED = /\\.|'[^']*'|"(?!lhs )[^"]*"/g;
/** Commands that work on this machine alone: a URL is not for them. */
const OWN = /^lhs (config|demo|doctor|serve|source (import|delete|upsert|rows|snapshots)) /;

const NAMES = ['--data-dir', '--url', '--profile'];

/** The flags of a command line that say where it works, as they are typed again. */
export function placeFlags(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.flatMap((word, i) => {
    const [name, ...rest] = word.split('=');
    if (!NAMES.includes(name)) return [];
    const value = rest.length > 0 ? rest.join('=') : words[i + 1];
    return value === undefined ? [] : [`${name} ${shellWord(value)}`];
  });
}

/**
 * The line with its commands as they work here: under `npx lhs`, which puts no `lhs` on the PATH,
 * they begin with `npx lhs` (under `npx -p node@24 lhs` with that), and they work where this
 * command does (`place`, of `placeFlags`). Messages, which contain no texts of rows, have commands
 * in sentences too.
 */
export function asTyped(
  line: string,
  env: NodeJS.ProcessEnv,
  place: readonly string[] = [],
  isMessage = false,
): string {
  const placed = place.length === 0 ? line : withPlace(line, place);
  if (env.npm_command !== 'exec') return placed;
  const commands = [...blanked(placed).matchAll(isMessage ? IN_MESSAGE : COMMAND)];
  const { npm_config_package: node } = env;
  const runner = node ? `npx -p ${shellWord(node)} ` : 'npx ';
  return commands.reduceRight((text, { index, 1: before }) => {
    const start = index + before.length;
    return `${text.slice(0, start)}${runner}${text.slice(start)}`;
  }, placed);
}

/** Returns the text with its quoted parts replaced by blanks; the length stays. */
const blanked = (text: string): string => text.replace(QUOTED, (found) => '_'.repeat(found.length));

function withPlace(line: string, place: readonly string[]): string {
  const bracketed = line.replace(BRACKETED, (_, command) => `(${commandAt(command, place)})`);
  return bracketed.replace(ALONE, (_, before, command, after) => {
    return `${before}${commandAt(command, place)}${after}`;
  });
}

function commandAt(commands: string, place: readonly string[]): string {
  const joints = [...blanked(commands).matchAll(JOINT)];
  const ends = [...joints.map(({ index }) => index), commands.length];
  const starts = [0, ...joints.map(({ index, 1: joint }) => index + joint.length)];
  return starts
    .map((start, i) => oneCommandAt(commands.slice(start, ends[i]), place) + (joints[i]?.[1] ?? ''))
    .join('');
}

function oneCommandAt(command: string, place: readonly string[]): string {
  const plain = blanked(command);
  if (NOT_ALONE.test(plain)) return command;
  const wanted = place.filter((flag) => !flag.startsWith('--url ') || !OWN.test(`${command} `));
  const known = wanted.filter((flag) => !plain.includes(` ${flag.split(' ')[0]} `));
  const behind = / > | -- /.exec(plain)?.index ?? command.length;
  return [command.slice(0, behind), ...known].join(' ') + command.slice(behind);
}
