/** Commands for an index that was named by its location. */
import { LhsError } from '@lakehouse-search/contract';
import type { Terminal } from '../terminal.ts';
import { shellWord } from './shell-word.ts';

/** The end of a location: the name of the index. */
const nameIn = (location: string): string => location.slice(location.lastIndexOf('/') + 1);

/** A line whose command names the index by its location, as the caller does. */
export function locatedLine(location: string): (line: string) => string {
  const name = nameIn(location).replace(/[^\w-]/g, '\\$&');
  const before = '(^\\s*(?:(?:next|fields): )?|\\()(lhs (?:[a-z-]+ )+)';
  const command = new RegExp(`${before}${name}(?=[\\s)]|$)`);
  return (line) => line.replace(command, `$1$2${shellWord(location)}`);
}

/** A terminal that prints such lines. */
export const locatedTerminal = (
  terminal: Terminal,
  located: (line: string) => string,
): Terminal => ({
  ...terminal,
  out: (...lines) => terminal.out(...lines.map(located)),
  err: (...lines) => terminal.err(...lines.map(located)),
});

/** The error of a change that was refused by location says how it is made: by name. */
export function withWriterCommand(error: Error, id: string, argv: readonly string[]): Error {
  if (!(error instanceof LhsError)) return error;
  const { code, message, details } = error;
  if (typeof details.read_at !== 'string') return error;
  const name = nameIn(details.read_at);
  const isLocation = (word: string) => word.replace(/\/+$/, '').endsWith(`/${name}`);
  const words = elsewhere(argv).map((word) => shellWord(isLocation(word) ? name : word));
  const command = ['lhs', ...id.split(':'), ...words].join(' ');
  const hint = `on the machine that publishes it: ${command}`;
  return new LhsError(code, message, { hint, details, cause: error });
}

/** A command line without the service, the profile and the data folder of this machine. */
const elsewhere = (argv: readonly string[]): readonly string[] =>
  argv.filter((word, at) => {
    const isValue = /^--(url|profile|data-dir)$/.test(argv[at - 1] ?? '');
    return !isValue && !/^--(url|profile|data-dir)(=|$)/.test(word);
  });
