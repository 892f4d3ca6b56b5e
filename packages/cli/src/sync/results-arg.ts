import { Args } from '@oclif/core';
import { readLines } from '../files/read-text.ts';

/** Results of tasks: a file, or stdin. */
export const resultsArg = Args.string({
  ignoreStdin: true,
  description: 'file with the lines that tasks have printed, - for stdin',
  default: '-',
});

/** The lines of results. Throws as `readLines`. */
export async function readResults(path: string): Promise<readonly string[]> {
  const lines = await Array.fromAsync(readLines(path));
  return lines.filter((line) => line.trim() !== '');
}
