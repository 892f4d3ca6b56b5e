import { Args } from '@oclif/core';

/** The index of a command that always needs one. */
export const indexArg = Args.string({
  ignoreStdin: true,
  description: 'name of the index',
  required: true,
});
