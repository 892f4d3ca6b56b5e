import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The file of a program: the variable LHS_NAME, or in the PATH, or in Go's folder of programs. Null
 * if it is not there.
 */
export function findProgram(name: string): string | null {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    join(process.env.HOME ?? '', 'go/bin'),
  ];
  const variable = process.env[`LHS_${name.toUpperCase()}`] ?? '';
  const files = [variable, ...folders.map((folder) => join(folder, name))];
  return files.find((path) => path !== '' && existsSync(path)) ?? null;
}
