import type { Batch } from '../scan/batch.ts';
import { canonicalText } from '../scan/canonical-text.ts';
import { columnsOf } from '../scan/columns.ts';
import { scanParts } from '../scan/scan.ts';
import { selectRows, valueAt } from '../scan/vectors.ts';
import { compareText } from '../schema/compare.ts';
import type { Field } from '../schema/type.ts';
import type { ChangesOptions, Row, RowChange } from '../source-table.ts';
import {
  type ChangedParts,
  type ChangeSource,
  changedParts,
  onlyReplaced,
} from './change-source.ts';
import { KEY_STATE } from './key-table.ts';
import { netKeys } from './net-keys.ts';
import { hashRows, LANES } from './row-hash.ts';

/** The columns of a change set: `fields` are the key's, then the others. */
export interface ChangeColumns {
  readonly fields: readonly Field[];
  readonly keyCount: number;
}

/** The key's fields, then the other columns without those of the key. Throws column_not_found. */
export function changeColumns(source: ChangeSource, options: ChangesOptions): ChangeColumns {
  const schema = options.schema ?? source.metadata.schema;
  const { formatVersion } = source.metadata;
  const key = columnsOf(schema, options.key, formatVersion);
  const others = columnsOf(schema, options.columns, formatVersion);
  const ids = new Set(key.map((field) => field.id));
  return {
    fields: [...key, ...others.filter((field) => !ids.has(field.id))],
    keyCount: key.length,
  };
}

/**
 * Net row changes as people see them: whole rows, sorted by key (the canonical texts of its
 * columns, compared as bytes, column by column), each key once. Without key columns whole rows are
 * compared as multisets: a row that occurs n times more than before is n inserts, and there are no
 * updates.
 *
 * Only the difference of the two file sets is read, and nothing if only compactions are in between.
 * Sorting needs all changed rows at once: memory is the changed rows as column vectors (about their
 * size in Arrow) and the texts of their keys. Throws null_key and duplicate_key, column_not_found,
 * snapshot_not_found, and the errors of reading.
 */
export async function* rowChangesBetween(
  source: ChangeSource,
  options: ChangesOptions,
): AsyncGenerator<RowChange> {
  const { from, to, signal } = options;
  const columns = changeColumns(source, options);
  if (onlyReplaced(source.metadata, from, to)) return;
  const parts = await changedParts(source, from, to);
  const changes =
    columns.keyCount > 0
      ? await keyedChanges(source, parts, columns, signal)
      : await multisetChanges(source, parts, columns, signal);
  const fields = inSchemaOrder(source, options, columns);
  for (const change of changes) yield rowChange(change, columns, fields);
}

/** A row of a cached batch. */
interface RowRef {
  readonly batch: Batch;
  readonly row: number;
}
interface Found {
  before: RowRef | null;
  after: RowRef | null;
  readonly texts: readonly (string | null)[];
}

async function keyedChanges(
  source: ChangeSource,
  parts: ChangedParts,
  columns: ChangeColumns,
  signal: AbortSignal | undefined,
): Promise<Found[]> {
  const net = await netKeys(source, parts, columns, signal);
  const found = new Map<number, Found>();
  const collect = async (batches: AsyncIterable<Batch>, side: 'before' | 'after') => {
    for await (const whole of batches) {
      const entries = net.entries(whole);
      const changed = Int32Array.from(entries.keys()).filter(
        (row) => net.table.state(entries[row]) !== KEY_STATE.same,
      );
      const batch = selectRows(whole, changed);
      for (let row = 0; row < batch.rows; row++) {
        const entry = entries[changed[row]];
        const known = found.get(entry) ?? newFound(batch, row, columns.fields, columns.keyCount);
        known[side] = { batch, row };
        found.set(entry, known);
      }
    }
  };
  await collect(net.before.batches(), 'before');
  await collect(net.after.batches(), 'after');
  return [...found.values()].sort(byTexts);
}

async function multisetChanges(
  source: ChangeSource,
  parts: ChangedParts,
  columns: ChangeColumns,
  signal: AbortSignal | undefined,
): Promise<Found[]> {
  const { fields } = columns;
  const surplus = new Map<string, number>();
  const count = async (side: ChangedParts['before'], step: number) => {
    for await (const batch of scanParts(source.context, source.dead, {
      parts: side,
      fields,
      signal,
    })) {
      for (const key of rowKeys(batch, fields)) surplus.set(key, (surplus.get(key) ?? 0) + step);
    }
  };
  await count(parts.before, -1);
  await count(parts.after, 1);
  const found: Found[] = [];
  const take = async (side: ChangedParts['before'], sign: 1 | -1) => {
    for await (const batch of scanParts(source.context, source.dead, {
      parts: side,
      fields,
      signal,
    })) {
      rowKeys(batch, fields).forEach((key, row) => {
        const left = surplus.get(key) ?? 0;
        if (left * sign <= 0) return;
        surplus.set(key, left - sign);
        const ref = { batch, row };
        const change = newFound(batch, row, fields, fields.length);
        found.push({ ...change, before: sign < 0 ? ref : null, after: sign > 0 ? ref : null });
      });
    }
  };
  await take(parts.before, -1);
  await take(parts.after, 1);
  return found.sort(byTexts);
}

function rowKeys(batch: Batch, fields: readonly Field[]): string[] {
  const types = fields.map((field) => field.type);
  const hashes = hashRows(batch.columns, types, batch.rows);
  return Array.from({ length: batch.rows }, (_, row) =>
    hashes.subarray(row * LANES, row * LANES + LANES).join(','),
  );
}

function newFound(batch: Batch, row: number, fields: readonly Field[], count: number): Found {
  const texts = fields
    .slice(0, count)
    .map((field, i) => canonicalText(field.type, valueAt(batch.columns[i], row)));
  return { before: null, after: null, texts };
}

function byTexts(a: Found, b: Found): number {
  for (let i = 0; i < a.texts.length; i++) {
    const [x, y] = [a.texts[i], b.texts[i]];
    if (x === y) continue;
    if (x === null || y === null) return x === null ? -1 : 1;
    return compareText(x, y);
  }
  return 0;
}

/** The fields of a whole row, in the schema's order, each with its place in the batches. */
function inSchemaOrder(source: ChangeSource, options: ChangesOptions, columns: ChangeColumns) {
  const order = (options.schema ?? source.metadata.schema).fields.map((field) => field.id);
  const rank = (field: Field) => (order.indexOf(field.id) + order.length + 1) % (order.length + 1);
  return columns.fields
    .map((field, index) => ({ field, index }))
    .sort((a, b) => rank(a.field) - rank(b.field));
}

type Placed = ReturnType<typeof inSchemaOrder>;

function rowChange({ before, after }: Found, columns: ChangeColumns, fields: Placed): RowChange {
  const keyFields = columns.fields.slice(0, columns.keyCount);
  const placed = keyFields.map((field, index) => ({ field, index }));
  const key = rowOf((after ?? before) as RowRef, placed);
  if (before === null) return { op: 'insert', key, after: rowOf(after as RowRef, fields) };
  if (after === null) return { op: 'delete', key, before: rowOf(before, fields) };
  return { op: 'update', key, before: rowOf(before, fields), after: rowOf(after, fields) };
}

function rowOf({ batch, row }: RowRef, fields: Placed): Row {
  return Object.fromEntries(
    fields.map(({ field, index }) => [field.name, valueAt(batch.columns[index], row)]),
  );
}
