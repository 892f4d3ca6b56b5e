import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nearest } from '@lakehouse-search/contract/internal';

/** `did you mean "data/flights.csv"?`: the name in the folder of a missing file that is like it. */
export function nearFile(file: string): string | undefined {
  const folder = dirname(file);
  const near = nearest(basename(file), namesIn(folder));
  if (near === undefined) return undefined;
  return `did you mean "${folder === '.' ? near : join(folder, near)}"?`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not there, or not readable
  }
}
