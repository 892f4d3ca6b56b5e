import {
  type Field,
  openTable,
  type Schema,
  type SourceTable,
  type Type,
  type Value,
  VariantValue,
  valueAt,
  valueToJson,
} from '@lakehouse-search/lake';
import {
  fieldLine,
  type Truth,
  type TruthRow,
  type TruthSnapshot,
  tablePath,
  truthOf,
} from '../../../../../test/support/shared-tables.ts';

/** Rows of a snapshot by key: the JSON of the key's texts. */
export type RowsByKey = ReadonlyMap<string, TruthRow>;

/** Net changes between two snapshots. */
export interface Counts {
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

/**
 * A table that others wrote, what an index over all its indexable columns holds at each of its
 * snapshots, and what lies between two of them. Rows are the truth's own; where it has digests
 * alone they are what the lake's scan reads, which the lake's tests hold to the truth.
 */
export interface TruthTable {
  readonly name: string;
  readonly truth: Truth;
  readonly source: SourceTable;
  readonly schema: Schema;
  readonly key: readonly string[];
  /** The columns that the index holds, variants too. */
  readonly indexed: readonly Field[];
  /** The column that `meaning_of_it` is made of; null: there is no such field. */
  readonly meaning: string | null;
  readonly definition: string;
  snapshot(id: string): TruthSnapshot;
  rowsAt(id: string): Promise<RowsByKey>;
  change(from: string, to: string): Promise<Counts>;
  /** Snapshots after `from` up to `to`, oldest first; null where `from` is no ancestor. */
  wayTo(from: string, to: string): readonly string[] | null;
}

/** Which columns are indexed, and what they are called. */
export interface TruthOptions {
  /** Columns that are not indexed. */
  readonly without?: readonly string[];
  /** An older schema: only its columns, by field id, under its names. */
  readonly namedAs?: Schema;
  /** With a VECTOR field `meaning_of_it` over a text column, by the tiny model. */
  readonly withMeaning?: boolean;
}

/** Opens a table and its truth. */
export async function openTruthTable(
  name: string,
  { without = [], namedAs, withMeaning = false }: TruthOptions = {},
): Promise<TruthTable> {
  const truth = truthOf(name);
  const source = await openTable({ path: tablePath(name) });
  const schema = namedAs === undefined ? source.schema : renamed(source.schema, namedAs);
  const own = truth.identifier_columns.map((column) => newName(source.schema, schema, column));
  const key = own.length > 0 ? own : [schema.fields[0].name];
  const wanted = schema.fields.filter((field) => !without.includes(field.name));
  const variants = wanted.filter((field) => field.type.kind === 'variant');
  const fields = wanted.filter((field) => fieldLine(field) !== null);
  const texts = fields.filter((field) => field.type.kind === 'string');
  const meaning = withMeaning ? (texts.at(-1)?.name ?? null) : null;
  const indexed = [...fields, ...variants];
  const known = new Map<string, Promise<RowsByKey>>();
  const snapshot = (id: string) => truth.snapshots.find((s) => s.snapshot_id === id)!;
  const rowsAt = (id: string) => {
    const rows = known.get(id) ?? readRows(source, schema, key, indexed, snapshot(id));
    known.set(id, rows);
    return rows;
  };
  return {
    name,
    truth,
    source,
    schema,
    key,
    indexed,
    meaning,
    definition: definitionOf(name, key, fields, variants, meaning),
    snapshot,
    rowsAt,
    change: async (from, to) => difference(await rowsAt(from), await rowsAt(to), indexed),
    wayTo(from, to) {
      const ancestry = source.ancestry(BigInt(to)).map(({ id }) => String(id));
      const at = ancestry.indexOf(from);
      return at < 0 ? null : ancestry.slice(0, at).toReversed();
    },
  };
}

function definitionOf(
  name: string,
  key: readonly string[],
  fields: readonly Field[],
  variants: readonly Field[],
  meaning: string | null,
): string {
  const options = `source: ${meaning}, model: ./tiny, dims: 8`;
  const vector = `  - { name: meaning_of_it, type: VECTOR, ${options} }`;
  const columns = variants.map((field) => `  - { column: ${field.name} }`);
  return [
    'version: 1',
    'index: t',
    `source: { path: ${JSON.stringify(tablePath(name))} }`,
    `key: { identifier: [${key.join(', ')}] }`,
    'fields:',
    ...fields.map((field) => fieldLine(field)!),
    ...(meaning === null ? [] : [vector]),
    ...(columns.length > 0 ? ['variants:', ...columns] : []),
  ].join('\n');
}

async function readRows(
  source: SourceTable,
  schema: Schema,
  key: readonly string[],
  indexed: readonly Field[],
  snapshot: TruthSnapshot,
): Promise<RowsByKey> {
  const own = snapshot.rows_current_schema ?? snapshot.rows;
  const rows = own ?? (await scan(source, indexed, snapshot));
  const names = indexed.map(({ name }) => [name, newName(schema, source.schema, name)]);
  const shown = rows.map((row) => Object.fromEntries(names.map(([now, was]) => [now, row[was]])));
  return new Map(shown.map((row) => [keyText(key, row), row]));
}

/** The columns of `schema` that `older` has too, under the names that they have there. */
function renamed(schema: Schema, older: Schema): Schema {
  const names = new Map(older.fields.map((field) => [field.id, field.name]));
  const fields = schema.fields
    .filter(({ id }) => names.has(id))
    .map((field) => ({ ...field, name: names.get(field.id)! }));
  return { ...schema, fields };
}

/** What the column that `from` calls `name` is called in `to`. */
function newName(from: Schema, to: Schema, name: string): string {
  const { id } = from.fields.find((field) => field.name === name)!;
  return to.fields.find((field) => field.id === id)!.name;
}

async function scan(
  source: SourceTable,
  indexed: readonly Field[],
  { snapshot_id }: TruthSnapshot,
): Promise<readonly TruthRow[]> {
  const rows: TruthRow[] = [];
  const names = new Map(source.schema.fields.map(({ id, name }) => [id, name]));
  const columns = indexed.map(({ id }) => names.get(id)!);
  for await (const batch of source.scan({ snapshotId: BigInt(snapshot_id), columns })) {
    for (let i = 0; i < batch.rows; i++) {
      const cells = indexed.map((field, c) => [
        names.get(field.id)!,
        truthForm(field.type, valueAt(batch.columns[c], i)),
      ]);
      rows.push(Object.fromEntries(cells));
    }
  }
  return rows;
}

/** A value as the truth writes it: as JSON has it, but for a variant that is null. */
function truthForm(type: Type, value: Value): unknown {
  const isNull = value instanceof VariantValue && value.node.kind === 'null';
  return isNull ? { $variant_null: true } : valueToJson(type, value);
}

/** A row's key as the map of rows has it. */
export const keyText = (key: readonly string[], row: TruthRow): string =>
  JSON.stringify(key.map((name) => String(row[name])));

function difference(before: RowsByKey, after: RowsByKey, indexed: readonly Field[]): Counts {
  const text = (row: TruthRow) => JSON.stringify(indexed.map(({ name }) => row[name] ?? null));
  let [inserted, updated, deleted] = [0, 0, 0];
  for (const [key, row] of after) {
    const old = before.get(key);
    if (old === undefined) inserted++;
    else if (text(old) !== text(row)) updated++;
  }
  for (const key of before.keys()) if (!after.has(key)) deleted++;
  return { inserted, updated, deleted };
}
