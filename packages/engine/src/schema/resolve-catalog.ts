import { resolve } from 'node:path';
import type { CatalogConfig } from '@lakehouse-search/lake';

/** A catalog whose relative paths are resolved against the folder of the file that names it. */
export function resolveCatalog(given: CatalogConfig, baseDir: string): CatalogConfig {
  const roots = given.allowed_roots?.map((root) => resolvePath(root, baseDir));
  const catalog = roots === undefined ? given : { ...given, allowed_roots: roots };
  if (catalog.type === 'rest') return catalog;
  if (catalog.type === 'filesystem') {
    return { ...catalog, warehouse: resolvePath(catalog.warehouse, baseDir) };
  }
  const sqlite = /^(sqlite(?:\+[a-z]+)?:\/\/\/|jdbc:sqlite:(?:file:)?)([^/].*)$/.exec(catalog.uri);
  const uri = sqlite === null ? catalog.uri : sqlite[1] + resolve(baseDir, sqlite[2]);
  const { warehouse } = catalog;
  return { ...catalog, uri, ...(warehouse ? { warehouse: resolvePath(warehouse, baseDir) } : {}) };
}

/** A path resolved against a folder; a URL stays as it is. */
export function resolvePath(path: string, baseDir: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(path) ? path : resolve(baseDir, path);
}
