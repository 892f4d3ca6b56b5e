import type {
  CallContext,
  DefinitionText,
  DescribeSourceRequest,
  InitDefinitionRequest,
  LhsError,
  ListTablesRequest,
  SourceDescription,
  TableList,
} from '@lakehouse-search/contract';
import {
  checkCall,
  checkDescribeSourceRequest,
  checkInitDefinitionRequest,
  checkListTablesRequest,
  wrong,
} from '@lakehouse-search/contract/internal';
import { listTables, type SourceTable, typeName } from '@lakehouse-search/lake';
import { resolveCatalog } from '../schema/parse/resolve-catalog.ts';
import { initDefinition } from '../schema/propose/init-definition.ts';
import { fromSource } from './source-errors.ts';
import { openSource, requireReadableFiles } from './source-table.ts';

/** The schema and state of a table. Throws source_not_found, source_unreachable, interrupted. */
export async function describeTable(
  request: DescribeSourceRequest,
  call?: CallContext,
): Promise<SourceDescription> {
  return withTable(checkDescribeSourceRequest(request), call, async (table) => describe(table));
}

/** The tables of a catalog. Throws source_unreachable, interrupted. */
export async function tablesOf(request: ListTablesRequest, call?: CallContext): Promise<TableList> {
  const { catalog, base_dir = '' } = checkListTablesRequest(request);
  const { signal } = checkCall(call);
  if (catalog === undefined) throw noNames('catalog');
  const listed = await fromSource(() => listTables(resolveCatalog(catalog, base_dir)), signal);
  const { tables, unread } = listed;
  return unread.length === 0 ? { tables } : { tables, unread };
}

/** A first definition for a table. Throws as `describeTable`. */
export async function definitionFor(
  request: InitDefinitionRequest,
  call?: CallContext,
): Promise<DefinitionText> {
  const { source, name, key, base_dir } = checkInitDefinitionRequest(request);
  if (source === undefined) throw noNames('source');
  return withTable({ source, base_dir }, call, async (table) => {
    await requireReadableFiles(table, undefined);
    return { definition: await fromSource(() => initDefinition(table, { source, name, key })) };
  });
}

async function withTable<T>(
  { source, base_dir = '' }: DescribeSourceRequest,
  call: CallContext | undefined,
  work: (table: SourceTable) => Promise<T>,
): Promise<T> {
  if (source === undefined) throw noNames('source');
  const table = await openSource(source, base_dir, checkCall(call).signal, false);
  try {
    return await work(table);
  } finally {
    await table.close();
  }
}

/** The embedded engine has no names of catalogs. */
const noNames = (field: string): LhsError => wrong(field, undefined, 'the settings of a catalog');

function describe(table: SourceTable): SourceDescription {
  const { fields, identifierFieldIds } = table.schema;
  return {
    table: table.name,
    uuid: table.uuid,
    format_version: table.formatVersion,
    location: table.location,
    snapshot: table.currentSnapshotId?.toString() ?? null,
    snapshots: table.snapshots.length,
    identifier: fields.filter(({ id }) => identifierFieldIds.includes(id)).map(({ name }) => name),
    ...restrictionsOf(table),
    columns: fields.map(({ id, name, type, required }) => {
      return { id, name, type: typeName(type), required };
    }),
  };
}

/** What the catalog lets its caller read of the rows, if that is not everything. */
function restrictionsOf({
  restrictions,
  schema,
}: SourceTable): Pick<SourceDescription, 'read_restrictions'> {
  if (restrictions === undefined) return {};
  const { digest, rows, actions } = restrictions;
  const masked = [...actions].map(([id, action]) => {
    return {
      column: schema.fields.find((field) => field.id === id)?.name ?? `field ${id}`,
      action,
    };
  });
  return { read_restrictions: { digest, row_filter: rows !== null, masked } };
}
