import { resolve } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { SYSTEM_CLOCK } from '../base/time/clock.ts';
import type { LocalOptions } from '../local/open-options.ts';
import { type LocalEngine, openEngine } from '../local-backend.ts';
import { localBackend } from '../open-local.ts';
import { Collection } from './collection.ts';
import {
  type CollectionPlan,
  collectionDefinition,
  openCollectionTable,
} from './collection-table.ts';
import { type Columns, columnOf, type KeyName } from './columns.ts';

/** How a collection is opened. */
export interface CollectionOptions<N extends string = string> {
  /** The column whose values identify rows: a `string` or an `integer`. Default: `id`. */
  readonly key?: N;
  /** Options of the engine. */
  readonly engine?: LocalOptions;
}

/** `key` is required unless a column is called `id`, or columns are wrong. */
type OptionsOf<C, N extends string> = string extends keyof C
  ? [options?: CollectionOptions<N>]
  : 'id' extends KeyName<C>
    ? [options?: CollectionOptions<N>]
    : [options: CollectionOptions<N> & { readonly key: N }];

/**
 * Opens a collection of rows in a data folder; what is missing is created. Its index has what other
 * programs have written to the table until then. Throws invalid_argument, schema_changed,
 * invalid_definition, io_error.
 */
export async function openCollection<
  const C extends Columns,
  N extends KeyName<C> = 'id' & KeyName<C>,
>(
  dataDir: string,
  name: string,
  columns: C,
  ...[options = {}]: OptionsOf<C, N>
): Promise<Collection<C, N>> {
  const { key = 'id', engine } = options as CollectionOptions;
  const plan = planOf({ dataDir: resolve(dataDir), name, key }, columns);
  const backend = await openEngine(plan.dataDir, { create: true, ...engine });
  try {
    await requireValid(backend, plan);
    const table = await openCollectionTable(plan);
    await bringIndex(backend, plan);
    return new Collection<C, N>(plan, table, localBackend(backend));
  } catch (error) {
    await backend.close();
    throw error;
  }
}

function planOf(plan: Omit<CollectionPlan, 'columns'>, given: Columns): CollectionPlan {
  const columns = new Map(Object.entries(given).map(([name, spec]) => [name, columnOf(spec)]));
  const found = columns.get(plan.key);
  const isKey = found?.kind === 'string' || found?.kind === 'integer';
  if (isKey && !found.optional && !found.list) return Object.freeze({ ...plan, columns });
  const message = `collection "${plan.name}" has no key: column "${plan.key}" is `;
  const problem =
    found === undefined
      ? 'missing'
      : `${found.optional ? 'optional ' : ''}${found.list ? 'a list of ' : ''}${found.kind}`;
  throw new LhsError('invalid_argument', message + problem, {
    hint: "declare a column id: 'string' or 'integer', or name another one in the option key",
  });
}

/** Throws invalid_definition before anything is created. */
async function requireValid(backend: LocalEngine, plan: CollectionPlan): Promise<void> {
  const issues = await backend.validateDefinition({ definition: collectionDefinition(plan) });
  const [first] = issues.filter(({ severity }) => severity === 'error');
  if (first === undefined) return;
  throw new LhsError('invalid_definition', `collection "${plan.name}": ${first.message}`);
}

/** Creates, alters or syncs the index; another process may do the same at the same time. */
async function bringIndex(backend: LocalEngine, plan: CollectionPlan): Promise<void> {
  const { name: index, dataDir: base_dir } = plan;
  const definition = collectionDefinition(plan);
  try {
    await backend.createIndex({ definition, base_dir });
  } catch (error) {
    if (!hasCode(error, 'index_exists')) throw error;
    const change = { index, definition_yaml: definition };
    const { is_noop } = await backend.alterIndex(change);
    if (!is_noop) await backend.alterIndex({ ...change, apply: true });
  }
  const deadline = SYSTEM_CLOCK.ticks() + BUILD_WAIT_MS;
  while (!(await isInStep(backend, index, deadline))) await SYSTEM_CLOCK.sleep(BUILD_PAUSE_MS);
}

/** Milliseconds to wait for the first build of another process, and between two looks at it. */
const BUILD_WAIT_MS = 60_000;
const BUILD_PAUSE_MS = 50;

/** Brings the index to its table; false: another process builds it. */
async function isInStep(backend: LocalEngine, index: string, deadline: number): Promise<boolean> {
  try {
    await backend.sync({ index });
    return true;
  } catch (error) {
    if (!hasCode(error, 'index_not_built')) throw error;
  }
  try {
    await backend.reindex({ index });
  } catch (error) {
    if (!hasCode(error, 'index_busy') || SYSTEM_CLOCK.ticks() > deadline) throw error;
  }
  return false;
}

const hasCode = (error: unknown, code: LhsError['code']): boolean =>
  error instanceof LhsError && error.code === code;
