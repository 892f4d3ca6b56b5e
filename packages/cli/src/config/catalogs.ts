/**
 * Catalogs by name: those of the user's configuration file (`catalogs:`), then those of PyIceberg,
 * from its environment variables and its file.
 */

import { dirname } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { readCatalogFile } from '@lakehouse-search/engine/internal';
import type { CatalogConfig } from '@lakehouse-search/lake';
import { pyicebergCatalogs, translated } from './pyiceberg.ts';
import { readUserFile } from './settings-file.ts';

const NAME = /^[\w-]+$/;

/** Whether a text may be the name of a catalog. All others are names of files. */
export const isCatalogName = (text: string): boolean => NAME.test(text);

/**
 * The catalog of a name; undefined if there is none. Throws invalid_argument for settings that no
 * catalog has, unsupported for a type that cannot be read.
 */
export function namedCatalog(
  name: string,
  env: NodeJS.ProcessEnv = process.env,
): CatalogConfig | undefined {
  const { catalogs, file } = readUserFile(env);
  if (Object.hasOwn(catalogs, name)) {
    return checkedCatalog(catalogs[name], `${file}: catalog "${name}"`, dirname(file));
  }
  const found = pyicebergCatalogs(env).find((catalog) => catalog.name === name);
  if (found === undefined) return undefined;
  return checkedCatalog(translated(found, env), `${found.origin}: catalog "${name}"`, '/');
}

/** The names of all catalogs. */
export function catalogNames(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const own = Object.keys(readUserFile(env).catalogs);
  return [...new Set([...own, ...pyicebergCatalogs(env).map(({ name }) => name)])];
}

/** The error for a name that no catalog has. */
export function noCatalog(name: string): LhsError {
  const names = catalogNames();
  return new LhsError('not_found', `there is no catalog and no file "${name}"`, {
    hint:
      names.length === 0
        ? 'docs/command-line.md says where catalogs are named'
        : `catalogs: ${names.join(', ')}`,
  });
}

/** Checks settings as those of a catalog file; faults name `place` instead of line and column. */
function checkedCatalog(settings: unknown, place: string, folder: string): CatalogConfig {
  try {
    return readCatalogFile(JSON.stringify(settings), place, folder);
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    const message = error.message.replace(/:\d+:\d+: /, ': ');
    throw new LhsError(error.code, message, { hint: error.hint, cause: error });
  }
}
