import { nearest } from '@lakehouse-search/contract';
import type { Hook } from '@oclif/core';
import { jsonText } from '../terminal/json-text.ts';
import { processTerminal } from '../terminal/terminal.ts';

const USAGE_EXIT = 2;

/** Names the command that was probably meant, or the argument that a command does not take. */
const commandNotFound: Hook<'command_not_found'> = async ({ id, argv, config }) => {
  const words = [...id.split(/[: ]/), ...(argv ?? []).filter((word) => !word.startsWith('-'))];
  const known = config.commandIDs.map((name) => name.split(':'));
  const { message, hint } = notFound(words, known);
  const terminal = processTerminal();
  if (process.argv.includes('--json')) {
    const error = { code: 'invalid_argument', status: 400, message, details: { hint } };
    terminal.data(jsonText({ error }));
  } else terminal.err(`error: ${message}`, `  ${hint}`);
  process.exit(USAGE_EXIT);
};

/** What is wrong with the words of a command line, and the way out. */
export function notFound(
  words: readonly string[],
  known: readonly (readonly string[])[],
): { readonly message: string; readonly hint: string } {
  const meant: string[] = [];
  let wrong = -1;
  for (const [i, word] of words.entries()) {
    const below = known.filter((name) => meant.every((part, p) => part === name[p]));
    const next = new Set(below.flatMap((name) => name[i] ?? []));
    if (next.size === 0) break;
    const found = next.has(word) ? word : nearest(word, [...next]);
    if (found !== word && wrong < 0) wrong = i;
    if (found === undefined) break;
    meant.push(found);
  }
  if (wrong < 0) {
    const message = `lhs ${meant.join(' ')} does not take "${words[meant.length]}"`;
    return { message, hint: `lhs ${meant.join(' ')} --help shows what it takes` };
  }
  const typed = words.slice(0, wrong + 1).join(' ');
  const near = meant.length > wrong ? `did you mean lhs ${meant.join(' ')}?` : undefined;
  const list = `lhs ${[...words.slice(0, wrong), '--help'].join(' ')} lists the commands`;
  return { message: `there is no command "${typed}"`, hint: near ?? list };
}

export default commandNotFound;
