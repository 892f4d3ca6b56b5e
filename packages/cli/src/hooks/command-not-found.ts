import type { Hook } from '@oclif/core';
import { notFound } from '../help/not-found.ts';
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

export default commandNotFound;
