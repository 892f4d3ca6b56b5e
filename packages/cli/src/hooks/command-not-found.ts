import { nearest } from '@lakehouse-search/engine';
import type { Hook } from '@oclif/core';

const USAGE_EXIT = 2;

/** Names the command that was probably meant. */
const commandNotFound: Hook<'command_not_found'> = async ({ id, config }) => {
  const words = id.replaceAll(':', ' ').split(' ');
  const known = config.commandIDs.map((name) => name.replaceAll(':', ' '));
  const topics = new Set(known.map((name) => name.split(' ')[0]));
  const typed = words.slice(0, topics.has(words[0]) ? 2 : 1).join(' ');
  const near = nearest(typed, known);
  process.stderr.write(`error: there is no command "${typed}"\n`);
  process.stderr.write(
    near === undefined ? '  lhs --help lists them\n' : `  did you mean lhs ${near}?\n`,
  );
  process.exit(USAGE_EXIT);
};

export default commandNotFound;
