/** The way out if an index reads columns that its table lacks now. */
import { type IndexDescription, LhsError, type TableConfig } from '@lakehouse-search/contract';
import type { BackendApi, SourceApi } from '@lakehouse-search/contract/internal';
import { shellWord } from '../terminal/errors/shell-word.ts';

/** The command behind the one of `index init` that writes this file. */
export const APPLY_NEW = 'lhs index apply definition.yaml';

/** The columns that an index reads and its table lacks. */
export const goneColumns = (
  index: IndexDescription,
  columns: readonly { readonly name: string }[],
): readonly string[] =>
  sourceColumns(index).filter(
    (column) => !columns.some(({ name }) => column === name || column.startsWith(`${name}.`)),
  );

/** The columns of the table that an index reads, or paths in them. */
export const sourceColumns = ({ key, fields, variants }: IndexDescription): readonly string[] => [
  ...[...key.partition, ...key.identifier],
  ...fields.flatMap(({ source }) => source),
  ...variants.map(({ column }) => column),
];

const CODES: ReadonlySet<string> = new Set(['schema_changed', 'invalid_definition']);

/**
 * The error of a sync or a build with the commands that define the index again, if its table lacks
 * columns; else the error as it is.
 */
export async function withNewDefinition(
  error: unknown,
  index: string,
  backend: BackendApi,
  tables: SourceApi,
): Promise<unknown> {
  if (!(error instanceof LhsError) || !CODES.has(error.code)) return error;
  const gone = await goneOf(index, backend, tables).catch(() => undefined);
  if (gone === undefined || gone.columns.length === 0) return error;
  const names = gone.columns.map((name) => `"${name}"`).join(', ');
  const { code, message, details } = error;
  const way = `take ${names} out of the definition, or write a new one:`;
  const hint = [way, initOf(index, gone.table), APPLY_NEW].join('\n');
  return new LhsError(code, message, { cause: error, details, hint });
}

/** Relative paths of a source begin at its definition, which may be in the working folder. */
async function goneOf(index: string, backend: BackendApi, tables: SourceApi) {
  const described = await backend.describeIndex({ index });
  const table = described.source as TableConfig | undefined;
  if (table === undefined) return undefined;
  const { columns } = await tables.describeSource({ source: table, base_dir: process.cwd() });
  return { table, columns: goneColumns(described, columns) };
}

function initOf(index: string, table: TableConfig): string {
  const words = 'path' in table ? ['--path', table.path] : [table.table, ...catalogFlag(table)];
  return `lhs index init ${words.map(shellWord).join(' ')} --name ${index} > definition.yaml`;
}

const catalogFlag = ({ catalog }: Exclude<TableConfig, { readonly path: string }>) =>
  catalog.type === 'filesystem' ? ['--warehouse', catalog.warehouse] : ['--catalog', 'NAME'];
