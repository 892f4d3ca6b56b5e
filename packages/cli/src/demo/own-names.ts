import { lstat, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Alias, LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { loadTable } from '@lakehouse-search/lake';

/** The index and the table of a demo, and the warehouse folder that only demos write to. */
export interface DemoNames {
  readonly index: string;
  /** `namespace.table`. */
  readonly table: string;
  readonly warehouse: string;
}

/** Table property that marks a table as made by `lhs demo`. */
const MARK = 'lhs.demo';

/** Properties of a demo's table: they tell it apart from a table of the user. */
export const DEMO_PROPERTIES: Readonly<Record<string, string>> = Object.freeze({ [MARK]: 'true' });

/** The names of a demo in a data folder. */
export function demoNames(dataDir: string, name: string): DemoNames {
  const warehouse = join(dataDir, 'demo-lake');
  return Object.freeze({ index: `demo-${name}`, table: `demo.${name}`, warehouse });
}

/** The folder of the demo's table. */
export function demoFolder(names: DemoNames): string {
  return join(names.warehouse, ...names.table.split('.'));
}

/**
 * Removes the index and the table of an earlier demo and returns the aliases of that index, which
 * the user made. Nothing is removed if the index or the table is not the demo's own. Throws
 * index_exists, already_exists.
 */
export async function removeEarlierDemo(
  backend: BackendApi,
  names: DemoNames,
): Promise<readonly Alias[]> {
  const hasIndex = await ownsIndex(backend, names);
  const hasTable = await ownsTable(names);
  const aliases = (await backend.listAliases()).filter(({ index }) => index === names.index);
  if (hasIndex) await backend.dropIndex({ index: names.index });
  if (hasTable) await rm(demoFolder(names), { recursive: true });
  return aliases;
}

/** Whether the index of an earlier demo exists. Throws index_exists if the name is the user's. */
async function ownsIndex(backend: BackendApi, names: DemoNames): Promise<boolean> {
  const { index } = names;
  const alias = (await backend.listAliases()).find((one) => one.alias === index);
  if (alias !== undefined) {
    const message = `"${index}" is an alias of index "${alias.index}", and lhs demo needs the name`;
    throw new LhsError('index_exists', message, { hint: `lhs alias drop ${index} removes it` });
  }
  const known = await backend.listIndexes();
  if (!known.some(({ name }) => name === index)) return false;
  const { source } = await backend.describeIndex({ index });
  if (isDemoTable(source, names)) return true;
  const message = `index "${index}" was not made by lhs demo: it does not read the demo's table`;
  const way =
    `lhs demo --data-dir DIR uses another data folder; lhs index drop ${index} removes the ` +
    'index';
  throw new LhsError('index_exists', message, { hint: way });
}

function isDemoTable(source: unknown, names: DemoNames): boolean {
  const { table, catalog } = source as {
    readonly table?: string;
    readonly catalog?: { readonly warehouse?: string };
  };
  const warehouse = catalog?.warehouse;
  return table === names.table && warehouse !== undefined && resolve(warehouse) === names.warehouse;
}

/**
 * Whether the table of an earlier demo exists. Throws already_exists if something else is there.
 */
async function ownsTable(names: DemoNames): Promise<boolean> {
  const folder = demoFolder(names);
  if (!(await exists(folder))) return false;
  const catalog = { type: 'filesystem' as const, warehouse: names.warehouse };
  const table = await loadTable({ catalog, table: names.table }).catch(() => undefined);
  if (table?.metadata.properties[MARK] === 'true') return true;
  throw new LhsError('already_exists', `"${folder}" was not made by lhs demo`, {
    hint: 'move it, or use another data folder: lhs demo --data-dir DIR',
  });
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
