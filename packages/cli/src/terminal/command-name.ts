/** Where a printed line has a command: at its start, behind `next: `, in brackets, in a chain. */
import { shellWord } from './shell-word.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: a line may begin with a style
const COMMAND = /(^(?:\u001b\[[\d;]*m)*\s*(?:next: )?|\(|&& |, then |, )lhs (?=[a-z])/g;

/** A line that is one command to copy: what comes before, the command, the end of a style. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a line may have a style
const ALONE = /^((?:\u001b\[[\d;]*m)*(?:next: | {2,3}))(lhs [a-z][^\u001b]*)(.*)$/s;
/** A command in brackets behind a sentence. */
const BRACKETED = /\((lhs [a-z][^()]*)\)/g;
/** Several commands, words behind a command, or a pipe. */
const NOT_ALONE = /, (then )?lhs |&& |\| | deletes the old files$| --help$|\(or /;
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
 * they begin with `npx lhs`, and they work where this command does (`place`, of `placeFlags`).
 */
export function asTyped(
  line: string,
  env: NodeJS.ProcessEnv,
  place: readonly string[] = [],
): string {
  const placed = place.length === 0 ? line : withPlace(line, place);
  return env.npm_command === 'exec' ? placed.replace(COMMAND, '$1npx lhs ') : placed;
}

function withPlace(line: string, place: readonly string[]): string {
  const bracketed = line.replace(BRACKETED, (_, command) => `(${commandAt(command, place)})`);
  return bracketed.replace(ALONE, (_, before, command, after) => {
    return `${before}${commandAt(command, place)}${after}`;
  });
}

function commandAt(command: string, place: readonly string[]): string {
  if (NOT_ALONE.test(command)) return command;
  const wanted = place.filter((flag) => !flag.startsWith('--url ') || !OWN.test(`${command} `));
  const known = wanted.filter((flag) => !command.includes(` ${flag.split(' ')[0]} `));
  const [typed, ...rest] = command.split(/(?= > | -- )/);
  return [typed, ...known].join(' ') + rest.join('');
}
