import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import {
  createTable,
  type Field,
  LakeError,
  openTable,
  type SourceTable,
  type TableConfig,
} from '@lakehouse-search/lake';
import { LIMITS } from '../base/limits.ts';
import { fromSource } from '../source/source-errors.ts';
import { COLUMN_TYPES, type Column } from './columns.ts';

/** A collection as its caller describes it, checked. */
export interface CollectionPlan {
  readonly dataDir: string;
  readonly name: string;
  readonly columns: ReadonlyMap<string, Column>;
  readonly key: string;
}

/** Metadata files that stay after a commit. */
const OLD_METADATA_FILES = '20';

/** The table below a collection. */
export const collectionTable = ({ dataDir, name }: CollectionPlan) =>
  ({
    catalog: { type: 'filesystem', warehouse: join(dataDir, 'warehouse') },
    table: `collections.${name}`,
  }) as const satisfies TableConfig;

/** The definition of the index over that table: JSON is YAML. */
export function collectionDefinition(plan: CollectionPlan): string {
  const fields = [...plan.columns].map(([name, { kind, analyzer }]) => ({
    name,
    type: COLUMN_TYPES[kind].field,
    ...(kind === 'text' ? { analyzer } : { fast: true }),
    cached: true,
  }));
  const texts = fields.filter(({ type }) => type === 'TEXT').map(({ name }) => name);
  return JSON.stringify({
    version: 1,
    index: plan.name,
    source: collectionTable(plan),
    fields,
    default_fields: texts.length > 1 ? texts.slice(0, LIMITS.defaultFields) : undefined,
  });
}

/** Opens the table of a collection, which is created if it is missing. Throws schema_changed. */
export async function openCollectionTable(plan: CollectionPlan): Promise<SourceTable> {
  const config = collectionTable(plan);
  const table = await fromSource(async () => {
    try {
      return await openTable(config);
    } catch (error) {
      if (!isLake(error, 'table_not_found')) throw error;
      await createMissing(plan);
      return await openTable(config);
    }
  });
  refuseOtherColumns(plan, table.schema.fields);
  return table;
}

/** Another process may create the table at the same time. */
async function createMissing(plan: CollectionPlan): Promise<void> {
  const { catalog, table } = collectionTable(plan);
  const { size } = plan.columns;
  const fields = [...plan.columns].map(([name, { kind, optional, list }], i): Field => {
    const element = { kind: COLUMN_TYPES[kind].type };
    const type = list
      ? ({ kind: 'list', elementId: size + i + 1, elementRequired: true, element } as const)
      : element;
    return { id: i + 1, name, required: !optional, type };
  });
  const key = fields.filter(({ name }) => name === plan.key).map(({ id }) => id);
  const schema = { schemaId: 0, identifierFieldIds: key, fields };
  const properties = {
    'write.metadata.delete-after-commit.enabled': 'true',
    'write.metadata.previous-versions-max': OLD_METADATA_FILES,
  };
  try {
    await createTable(catalog, table, { schema, formatVersion: 2, properties });
  } catch (error) {
    if (!isLake(error, 'table_exists')) throw error;
  }
}

export const isLake = (error: unknown, reason: LakeError['reason']): boolean =>
  error instanceof LakeError && error.reason === reason;

const listOf = (kind: string): string => `list<${kind}>`;

/** Columns that only the table has may be, if rows need not have them. */
function refuseOtherColumns({ name, columns }: CollectionPlan, fields: readonly Field[]): void {
  const shown = (type: string, isRequired: boolean) => `${type}${isRequired ? '' : ', optional'}`;
  const inTable = new Map(
    fields.map(({ name, type, required }) => {
      const kind = type.kind === 'list' ? listOf(type.element.kind) : type.kind;
      return [name, shown(kind, required)];
    }),
  );
  for (const [column, { kind, optional, list }] of columns) {
    const found = inTable.get(column);
    const { type } = COLUMN_TYPES[kind];
    const expected = shown(list ? listOf(type) : type, !optional);
    if (found !== expected) throw otherColumns(name, column, found ?? 'missing', expected);
  }
  const unknown = fields.find((field) => field.required && !columns.has(field.name));
  if (unknown === undefined) return;
  throw otherColumns(name, unknown.name, unknown.type.kind, 'missing');
}

function otherColumns(name: string, column: string, found: string, expected: string): LhsError {
  const message =
    `column "${column}" of collection "${name}" is ${found} in the table on disk, but ` +
    `${expected} in the columns that it is opened with`;
  return new LhsError('schema_changed', message, {
    hint: 'open it with the columns that it was created with, or create one of another name',
    details: { column },
  });
}
