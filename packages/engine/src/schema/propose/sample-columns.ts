import { type Field, type SourceTable, type Value, valueAt } from '@lakehouse-search/lake';
import { readableFields } from '@lakehouse-search/lake/internal';
import { isTimeName } from './propose-epoch.ts';

const SAMPLE_ROWS = 2000;
/** Rows in which the values of a proposed key are compared. */
export const KEY_SAMPLE_ROWS = 100_000;
/** Columns of a table whose values may be those of a key. */
const KEY_CANDIDATES = 100;

/** Values of columns in the first rows of a table. */
export interface Sample {
  /** By the column's name. */
  readonly columns: ReadonlyMap<string, readonly Value[]>;
  readonly rows: number;
  /** The table has no further rows. */
  readonly isAll: boolean;
}

/** The sample of rows that could not be read. */
export const NO_SAMPLE: Sample = { columns: new Map(), rows: 0, isAll: false };

/**
 * Values in the first 2,000 rows of the current snapshot: of columns with texts, of those that may
 * be part of the key (`partCandidates`), and of whole numbers that may count time. Read from one
 * file where it has enough.
 */
export async function sampleColumns(table: SourceTable): Promise<Sample> {
  const candidates = new Set(partCandidates(table));
  const columns = readableFields(table.schema)
    .filter((field) => isText(field) || candidates.has(field) || isTime(field))
    .map((field) => field.name);
  return readSample(table, columns, SAMPLE_ROWS);
}

/** Values of columns in the first `limit` rows of the current snapshot. */
export async function readSample(
  table: SourceTable,
  names: readonly string[],
  limit: number,
): Promise<Sample> {
  const columns = new Map(names.map((name): [string, Value[]] => [name, []]));
  if (table.currentSnapshotId === null) return { columns, rows: 0, isAll: true };
  if (names.length === 0) return { columns, rows: 0, isAll: false };
  let rows = 0;
  for await (const batch of table.scan({ columns: names, batchRows: SAMPLE_ROWS })) {
    const count = Math.min(batch.rows, limit - rows);
    names.forEach((name, c) => {
      const values = columns.get(name)!;
      for (let row = 0; row < count; row++) values.push(valueAt(batch.columns[c], row));
    });
    rows += count;
    if (count < batch.rows) return { columns, rows, isAll: false };
  }
  return { columns, rows, isAll: true };
}

/** Columns of texts, also in structs and lists. */
const isText = ({ type }: Pick<Field, 'type'>): boolean =>
  type.kind === 'list'
    ? isText({ type: type.element })
    : type.kind === 'struct'
      ? type.fields.some(isText)
      : type.kind === 'string';

/** Whole numbers that may count time. */
const isTime = ({ name, type }: Field): boolean =>
  /^(int|long)$/.test(type.kind) && isTimeName(name);

/** Columns that may tell the rows of a table apart, if it does not say which do. */
export const keyCandidates = (table: SourceTable): readonly Field[] =>
  ofKinds(table, /^(int|long|string|uuid|date)$/);

/** The same, and times, which come twice sooner or later unless something else differs, too. */
export const partCandidates = (table: SourceTable): readonly Field[] =>
  ofKinds(table, /^(int|long|string|uuid|date|timestamp(tz)?)$/);

function ofKinds({ schema }: SourceTable, kinds: RegExp): readonly Field[] {
  if (schema.identifierFieldIds.length > 0) return [];
  return schema.fields.filter(({ type }) => kinds.test(type.kind)).slice(0, KEY_CANDIDATES);
}
