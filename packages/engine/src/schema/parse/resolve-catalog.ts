import { isAbsolute, resolve } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { CATALOG_SETTINGS, type SettingKind } from '@lakehouse-search/contract/internal';
import type { CatalogConfig } from '@lakehouse-search/lake';
import { parseCatalog } from './parse-source.ts';
import { createReport, readYaml } from './yaml-tree.ts';

const CATALOG_FILE = {
  noun: 'catalog file',
  empty: 'it holds what "source.catalog" of a definition holds: type, warehouse or uri, …',
};

/**
 * The catalog of a YAML file, checked as the `source.catalog` of a definition is; relative paths
 * are resolved against `baseDir`. `file` is the name for messages. Throws invalid_argument with
 * the place of the first fault.
 */
export function readCatalogFile(text: string, file: string, baseDir: string): CatalogConfig {
  const report = createReport(text);
  const tree = readYaml(text, report, CATALOG_FILE);
  const catalog = tree === null ? undefined : parseCatalog(tree, 'the catalog', report);
  if (catalog !== undefined && !report.failed()) return resolveCatalog(catalog, baseDir);
  const errors = report.issues.filter((issue) => issue.severity === 'error');
  const { line, column, message } = errors[0];
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  throw new LhsError('invalid_argument', `${file}:${line}:${column}: ${message}${more}`, {
    hint: 'docs/definition.md lists the keys of each catalog',
    details: { issues: report.issues },
  });
}

type Resolver = (value: never, baseDir: string) => unknown;

/** By the kind of a setting, if its value can have a relative path: the absolute value. */
const RESOLVERS: Partial<Readonly<Record<SettingKind, Resolver>>> = {
  folder: resolvePath,
  folders: (paths: readonly string[], baseDir) => paths.map((path) => resolvePath(path, baseDir)),
  database: resolveDatabase,
};

/** A catalog whose relative paths are resolved against a folder. Throws as `resolvePath`. */
export function resolveCatalog(given: CatalogConfig, baseDir: string): CatalogConfig {
  const catalog: Record<string, unknown> = { ...given };
  for (const [key, kind] of Object.entries(CATALOG_SETTINGS[given.type].settings)) {
    const resolver = RESOLVERS[kind];
    if (resolver === undefined || catalog[key] === undefined) continue;
    catalog[key] = resolver(catalog[key] as never, baseDir);
  }
  return catalog as unknown as CatalogConfig;
}

/** The address of a database; a relative file of SQLite is resolved. */
function resolveDatabase(uri: string, baseDir: string): string {
  const sqlite = /^(sqlite(?:\+[a-z]+)?:\/\/\/|jdbc:sqlite:(?:file:)?)([^/].*)$/.exec(uri);
  return sqlite === null ? uri : sqlite[1] + resolveFile(sqlite[2], baseDir);
}

/**
 * A path resolved against a folder; a URL stays as it is. An empty folder means that the request
 * named none. Throws invalid_argument for a relative path without a folder.
 */
export function resolvePath(path: string, baseDir: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(path) ? path : resolveFile(path, baseDir);
}

/** The same for a path that is no URL. */
export function resolveFile(path: string, baseDir: string): string {
  if (baseDir !== '' || isAbsolute(path)) return resolve(baseDir, path);
  throw new LhsError('invalid_argument', `"${path}" is a relative path: "base_dir" is needed`, {
    hint: 'name the folder that relative paths begin at, or write an absolute path',
  });
}
