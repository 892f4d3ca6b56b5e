import {
  type Field,
  readableFields,
  type SourceTable,
  type Value,
  valueAt,
} from '@lakehouse-search/lake';

const SAMPLE_ROWS = 2000;
/** Columns of a table without identifier fields whose values may be those of a key. */
const KEY_CANDIDATES = 100;

/** Values of columns in the first rows of a table, by the column's name. */
export type Samples = ReadonlyMap<string, readonly Value[]>;

/**
 * Values of text columns in the first 2,000 rows of the current snapshot, and of columns that may
 * be the key (`keyCandidates`); read from one file where it has enough.
 */
export async function sampleColumns(table: SourceTable): Promise<Samples> {
  const candidates = new Set(keyCandidates(table));
  const columns = readableFields(table.schema)
    .filter((field) => isText(field) || candidates.has(field))
    .map((field) => field.name);
  const samples = new Map(columns.map((name): [string, Value[]] => [name, []]));
  if (table.currentSnapshotId === null || columns.length === 0) return samples;
  let rows = 0;
  for await (const batch of table.scan({ columns, batchRows: SAMPLE_ROWS })) {
    const taken = Math.min(batch.rows, SAMPLE_ROWS - rows);
    columns.forEach((name, c) => {
      for (let row = 0; row < taken; row++) samples.get(name)!.push(valueAt(batch.columns[c], row));
    });
    rows += taken;
    if (rows >= SAMPLE_ROWS) break;
  }
  return samples;
}

const isText = ({ type }: Field): boolean =>
  type.kind === 'string' || (type.kind === 'list' && type.element.kind === 'string');

/** Columns that may tell the rows of a table apart, if it does not say which do. */
export function keyCandidates({ schema }: SourceTable): readonly Field[] {
  if (schema.identifierFieldIds.length > 0) return [];
  return schema.fields
    .filter(({ type: { kind } }) => /^(int|long|string|uuid)$/.test(kind))
    .slice(0, KEY_CANDIDATES);
}
