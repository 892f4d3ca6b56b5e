import type { CatalogConfig, S3Config } from '@lakehouse-search/lake';
import type { Definition } from './definition.ts';
import { parseS3 } from './parse-s3.ts';
import { readChoice, readMap, readText, readTexts } from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

const CATALOG_KEYS = Object.freeze({
  filesystem: ['type', 'warehouse', 'allowed_roots', 's3'],
  sql: ['type', 'uri', 'name', 'warehouse', 'allowed_roots', 's3'],
  rest: [
    'type',
    'uri',
    'warehouse',
    'prefix',
    'token_env',
    'credential_env',
    'oauth2_server_uri',
    'scope',
    'allowed_roots',
    's3',
  ],
} as const);
const REQUIRED = Object.freeze({ filesystem: 'warehouse', sql: 'uri', rest: 'uri' } as const);

/**
 * The `source` of a definition: a catalog and `table: namespace.name`, or the `path` of a table.
 */
export function parseSource(tree: Tree, report: Report): Definition['source'] | undefined {
  const map = readMap(tree, 'source', ['catalog', 'table', 'path', 'ref', 's3'], report);
  if (map === undefined) return undefined;
  const ref = map.ref && readText(map.ref, 'source.ref', report);
  const named = ref === undefined ? {} : { ref };
  if (map.path !== undefined) {
    const extra = map.catalog ?? map.table;
    if (extra) report.error(extra.at, 'source has a path: catalog and table do not go with it');
    const path = readText(map.path, 'source.path', report);
    const s3 = map.s3 && parseS3(map.s3, 'source.s3', report);
    return path === undefined ? undefined : { path, ...named, ...(s3 === undefined ? {} : { s3 }) };
  }
  if (map.s3) report.error(map.s3.at, 's3 goes with a path; with a catalog it is catalog.s3');
  if (map.catalog === undefined || map.table === undefined) {
    report.error(tree.at, 'source needs catalog and table, or the path of a table');
  }
  const catalog = map.catalog && parseCatalog(map.catalog, 'source.catalog', report);
  const table = map.table && readTable(map.table, report);
  return catalog === undefined || table === undefined ? undefined : { catalog, table, ...named };
}

function readTable(tree: Tree, report: Report): string | undefined {
  const table = readText(tree, 'source.table', report);
  if (table === undefined) return undefined;
  if (table.split('.').length >= 2 && !table.split('.').includes('')) return table;
  report.error(tree.at, `source.table must be namespace.table, not "${table}"`);
  return undefined;
}

/**
 * `{type: filesystem | sql | rest, …}`. It names the environment variables that hold secrets.
 * `what` names the map in messages.
 */
export function parseCatalog(tree: Tree, what: string, report: Report): CatalogConfig | undefined {
  const typeTree =
    tree.kind === 'map' ? tree.entries.find((e) => e.key === 'type')?.value : undefined;
  if (typeTree === undefined) {
    report.error(tree.at, `${what} must be a map with a type: filesystem, sql or rest`);
    return undefined;
  }
  const type = readChoice(typeTree, 'catalog type', ['filesystem', 'sql', 'rest'], report);
  if (type === undefined) return undefined;
  const map = readMap(tree, `a ${type} catalog`, CATALOG_KEYS[type], report) ?? {};
  const values: Record<string, string | readonly string[] | S3Config> = {};
  for (const [key, value] of Object.entries(map) as [string, Tree][]) {
    const name = `${what}.${key}`;
    if (key === 's3') {
      const s3 = parseS3(value, name, report);
      if (s3 !== undefined) values.s3 = s3;
      continue;
    }
    const roots = key === 'allowed_roots' ? readTexts(value, name, report) : null;
    const read = roots === null ? readText(value, name, report) : roots.map(({ text }) => text);
    if (read !== undefined) values[key] = read;
  }
  // an unknown key has been reported: it may be the required one, misspelt
  const known = tree.kind === 'map' && tree.entries.every(({ key }) => key in map);
  if (known && !(REQUIRED[type] in map)) {
    report.error(tree.at, `a ${type} catalog needs "${REQUIRED[type]}"`);
  }
  return { ...values, type } as CatalogConfig;
}
