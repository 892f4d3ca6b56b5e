import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { LhsError, type NamedTable } from '@lakehouse-search/contract';
import { readCatalogFile } from '@lakehouse-search/engine/internal';
import type { CatalogConfig, TableConfig } from '@lakehouse-search/lake';
import { isObjectStorage } from '@lakehouse-search/lake/internal';
import { Flags } from '@oclif/core';
import { isCatalogName, namedCatalog, noCatalog } from '../config/catalogs.ts';
import { tablePlace } from '../config/settings.ts';
import { folderOf } from '../files/open-input.ts';
import { readText } from '../files/read-text.ts';

/*
 * `source tables`, `source describe` and `index init` go through `SourceApi`, so that a remote
 * backend can serve them. The other `source` commands read or write files of this machine (`rows`,
 * `changes`, `snapshots`, `import`, `upsert`, `delete`), and `demo` and `doctor` do so too: they
 * call the lake package directly.
 */

/** Where a table is: a warehouse folder, a catalog file, or a bare path. */
export const sourceFlags = {
  warehouse: Flags.string({
    description: 'folder of tables (LHS_WAREHOUSE; DIR/namespace/table)',
    helpValue: 'DIR',
    exclusive: ['catalog', 'path'],
  }),
  catalog: Flags.string({
    description: 'catalog: a name, or a YAML file (LHS_CATALOG)',
    helpValue: 'NAME|FILE',
    exclusive: ['warehouse', 'path'],
  }),
  path: Flags.string({
    description: 'a table’s folder or metadata file, without a catalog',
    helpValue: 'DIR',
    exclusive: ['warehouse', 'catalog'],
  }),
};

/** Where a table is, as oclif has read it. */
export interface SourceFlags {
  readonly warehouse?: string;
  readonly catalog?: string;
  readonly path?: string;
  readonly profile?: string;
}

/** The catalog that the flags name, or undefined where they name none. */
export async function catalogOf(flags: SourceFlags): Promise<CatalogConfig | undefined> {
  if (flags.warehouse !== undefined) {
    return { type: 'filesystem', warehouse: placeOf(flags.warehouse) };
  }
  if (flags.catalog === undefined) return undefined;
  return catalogAt(flags.catalog);
}

/** The catalog of a name or a file. Throws not_found if there is neither. */
async function catalogAt(place: string): Promise<CatalogConfig> {
  if (isCatalogName(place)) {
    const named = namedCatalog(place);
    if (named !== undefined) return named;
    if (!existsSync(place)) throw noCatalog(place);
  }
  return readCatalogFile(await readText(place), place, folderOf(place));
}

/** The catalog that flags or settings name. Throws invalid_argument if neither does. */
export async function catalogInForce(flags: SourceFlags, what: string): Promise<CatalogConfig> {
  const place = tablePlace(flags.profile === undefined ? {} : { profile: flags.profile });
  const catalog = (await catalogOf(flags)) ?? (place && (await catalogOf(place)));
  if (catalog !== undefined) return catalog;
  throw new LhsError('invalid_argument', `${what} is missing`, {
    hint:
      'add --warehouse DIR or --catalog NAME, or set it once and for all:\n' +
      'lhs config set warehouse DIR',
  });
}

/** The table that the flags and the TABLE argument name. */
export async function tableOf(flags: SourceFlags, table: string | undefined): Promise<TableConfig> {
  if (flags.path !== undefined) {
    if (table === undefined) return { path: placeOf(flags.path) };
    throw new LhsError(
      'invalid_argument',
      `--path already names the table; "${table}" is one too many`,
    );
  }
  const catalog = await catalogInForce(flags, 'the location of the table');
  return { catalog, table: requireTable(table) };
}

/** A table of a request: by the names that a service has, or by its location. */
export async function tableRequest(
  flags: SourceFlags,
  table: string | undefined,
  isRemote: boolean,
): Promise<NamedTable & { readonly source?: TableConfig }> {
  const named = isRemote ? catalogByName(flags) : undefined;
  if (named !== undefined) return { ...named, table: requireTable(table) };
  return { source: await tableOf(flags, table) };
}

/** A catalog of a request: by the name that a service has, or by its settings. */
export async function catalogRequest(
  flags: SourceFlags,
  isRemote: boolean,
): Promise<Pick<NamedTable, 'catalog_name'> & { readonly catalog?: CatalogConfig }> {
  const named = isRemote ? catalogByName(flags) : undefined;
  return named ?? { catalog: await catalogInForce(flags, 'the catalog') };
}

/** The name that a service has for a catalog; undefined if the flags name a location instead. */
function catalogByName(flags: SourceFlags): Pick<NamedTable, 'catalog_name'> | undefined {
  const { catalog, path, warehouse } = flags;
  if (path !== undefined || warehouse !== undefined) return undefined;
  if (catalog === undefined) return {};
  return isCatalogName(catalog) ? { catalog_name: catalog } : undefined;
}

function requireTable(table: string | undefined): string {
  if (table !== undefined) return table;
  throw new LhsError('invalid_argument', 'the name of the table is missing', {
    hint: 'lhs source tables lists them',
  });
}

/** For `validate`: the location that overrides the definition's own, if the flags name one. */
export async function sourceOverride(
  flags: SourceFlags,
): Promise<TableConfig | { readonly catalog: CatalogConfig } | undefined> {
  if (flags.path !== undefined) return { path: placeOf(flags.path) };
  const catalog = await catalogOf(flags);
  return catalog === undefined ? undefined : { catalog };
}

/** A path from the working directory; an address on object storage stays. */
function placeOf(path: string): string {
  return isObjectStorage(path) ? path : resolve(path);
}
