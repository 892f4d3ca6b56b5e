import { isAbsolute, resolve } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
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

/** A catalog whose relative paths are resolved against a folder. Throws as `resolvePath`. */
export function resolveCatalog(given: CatalogConfig, baseDir: string): CatalogConfig {
  const roots = given.allowed_roots?.map((root) => resolvePath(root, baseDir));
  const catalog = roots === undefined ? given : { ...given, allowed_roots: roots };
  if (catalog.type === 'rest') return catalog;
  if (catalog.type === 'filesystem') {
    return { ...catalog, warehouse: resolvePath(catalog.warehouse, baseDir) };
  }
  const sqlite = /^(sqlite(?:\+[a-z]+)?:\/\/\/|jdbc:sqlite:(?:file:)?)([^/].*)$/.exec(catalog.uri);
  const uri = sqlite === null ? catalog.uri : sqlite[1] + resolveFile(sqlite[2], baseDir);
  const { warehouse } = catalog;
  return { ...catalog, uri, ...(warehouse ? { warehouse: resolvePath(warehouse, baseDir) } : {}) };
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
