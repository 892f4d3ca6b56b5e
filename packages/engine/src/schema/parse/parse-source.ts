import {
  CATALOG_SETTINGS,
  CATALOG_TYPES,
  S3_SETTINGS,
  type SettingKind,
} from '@lakehouse-search/contract/internal';
import type { CatalogConfig, S3Config } from '@lakehouse-search/lake';
import type { Definition } from '../definition.ts';
import {
  type KnownEntries,
  readChoice,
  readFlag,
  readMap,
  readText,
  readTexts,
} from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

type Reader = (tree: Tree, what: string, report: Report) => unknown;

/** By the kind of a setting: its value, or undefined after a report. */
const READERS: Readonly<Record<SettingKind, Reader>> = {
  text: readText,
  name: readText,
  flag: (tree, what, report) => readFlag(tree, what, false, report),
  folder: readText,
  folders: (tree, what, report) => readTexts(tree, what, report).map(({ text }) => text),
  database: readText,
  s3: parseS3,
};

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
    report.error(tree.at, `${what} must be a map with a type: ${CATALOG_TYPES.join(', ')}`);
    return undefined;
  }
  const type = readChoice(typeTree, 'catalog type', CATALOG_TYPES, report);
  if (type === undefined) return undefined;
  const { required, settings } = CATALOG_SETTINGS[type];
  const map = readMap(tree, `a ${type} catalog`, ['type', ...Object.keys(settings)], report) ?? {};
  // an unknown key has been reported: it may be the required one, misspelt
  const known = tree.kind === 'map' && tree.entries.every(({ key }) => key in map);
  if (known && !(required in map)) {
    report.error(tree.at, `a ${type} catalog needs "${required}"`);
  }
  return { type, ...readSettings(settings, map, what, report) } as CatalogConfig;
}

/** The settings of an object store: how tables on `s3://` are reached. They hold no secrets. */
function parseS3(tree: Tree, what: string, report: Report): S3Config | undefined {
  const map = readMap(tree, what, Object.keys(S3_SETTINGS), report);
  return map && readSettings(S3_SETTINGS, map, what, report);
}

function readSettings(
  settings: Readonly<Record<string, SettingKind>>,
  map: KnownEntries<string>,
  what: string,
  report: Report,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [key, kind] of Object.entries(settings)) {
    const tree = map[key];
    const value = tree && READERS[kind](tree, `${what}.${key}`, report);
    if (value !== undefined) values[key] = value;
  }
  return values;
}
