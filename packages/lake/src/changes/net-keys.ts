import { LakeError } from '../base/errors.ts';
import type { Batch } from '../scan/batch.ts';
import { canonicalText } from '../scan/canonical-text.ts';
import { scanParts } from '../scan/scan.ts';
import { isNullAt, valueAt } from '../scan/vectors.ts';
import { BatchStore } from './batch-store.ts';
import type { ChangedParts, ChangeSource } from './change-source.ts';
import { KEY_STATE, KeyTable } from './key-table.ts';
import type { ChangeColumns } from './row-changes.ts';
import { hashRows } from './row-hash.ts';

/**
 * Keys of all rows that may have changed, with what became of them; and the rows themselves, to go
 * through again.
 */
export interface NetKeys {
  readonly columns: ChangeColumns;
  readonly before: BatchStore;
  readonly after: BatchStore;
  /** The entries of a batch's rows in `table`. */
  entries(batch: Batch): Int32Array;
  readonly table: KeyTable;
}

/** Bytes of each side's batches that stay in memory between the passes. */
const KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Decides for every key of the changed parts what became of it. Two passes over the rows, first
 * those before, then those after; memory is 40 to 50 bytes a key (a 128-bit hash of the key, 64
 * bits of the row's, a locator), whatever the rows' width, and up to 2 x 64 MiB of rows kept for
 * the passes that follow. Throws null_key and duplicate_key, naming the key and both places.
 */
export async function netKeys(
  source: ChangeSource,
  parts: ChangedParts,
  columns: ChangeColumns,
  signal?: AbortSignal,
): Promise<NetKeys> {
  const { fields } = columns;
  const open = (side: ChangedParts['before']) => () =>
    scanParts(source.context, source.dead, { parts: side, fields, signal });
  const before = new BatchStore(open(parts.before), KEPT_BYTES);
  const after = new BatchStore(open(parts.after), KEPT_BYTES);
  const netting = new Netting(columns);
  for await (const batch of before.batches()) netting.addBefore(batch);
  for await (const batch of after.batches()) netting.addAfter(batch);
  const { table } = netting;
  return { columns, before, after, table, entries: (batch) => entriesOf(table, columns, batch) };
}

class Netting {
  readonly table = new KeyTable();
  readonly #columns: ChangeColumns;
  readonly #files: string[] = [];

  constructor(columns: ChangeColumns) {
    this.#columns = columns;
  }

  addBefore(batch: Batch): void {
    this.#eachRow(batch, (row, entry, keys, rows, file) => {
      if (entry >= 0) throw this.#duplicate(batch, row, entry);
      const position = batch.positions[row];
      this.table.add(keys, row, rows, { file, position, state: KEY_STATE.before });
    });
  }

  addAfter(batch: Batch): void {
    this.#eachRow(batch, (row, entry, keys, rows, file) => {
      const position = batch.positions[row];
      if (entry < 0) {
        this.table.add(keys, row, rows, { file, position, state: KEY_STATE.inserted });
      } else if (this.table.state(entry) === KEY_STATE.before) {
        const same = this.table.sameRow(entry, rows, row);
        this.table.settle(entry, same ? KEY_STATE.same : KEY_STATE.updated, file, position);
      } else throw this.#duplicate(batch, row, entry);
    });
  }

  #eachRow(
    batch: Batch,
    visit: (row: number, entry: number, keys: Int32Array, rows: Int32Array, file: number) => void,
  ): void {
    checkKeys(this.#columns, batch);
    const { fields, keyCount } = this.#columns;
    const types = fields.map((field) => field.type);
    const keys = keyHashes(this.#columns, batch);
    const rows = hashRows(batch.columns.slice(keyCount), types.slice(keyCount), batch.rows);
    const file = this.#fileNumber(batch.file);
    for (let row = 0; row < batch.rows; row++) {
      visit(row, this.table.find(keys, row), keys, rows, file);
    }
  }

  #fileNumber(file: string): number {
    if (this.#files.at(-1) !== file) this.#files.push(file);
    return this.#files.length - 1;
  }

  #duplicate(batch: Batch, row: number, entry: number): LakeError {
    const { file, position } = this.table.place(entry);
    const places = [
      { file: this.#files[file], position },
      { file: batch.file, position: batch.positions[row] },
    ];
    const key = keyText(this.#columns, batch, row);
    return new LakeError(
      'duplicate_key',
      `key ${key} occurs twice in one snapshot: in "${places[0].file}" at row ` +
        `${places[0].position} and in "${places[1].file}" at row ${places[1].position}; ` +
        'remove one of the rows, or choose a key that is unique',
      { file: batch.file, details: { key, places } },
    );
  }
}

function keyHashes({ fields, keyCount }: ChangeColumns, batch: Batch): Int32Array {
  const types = fields.slice(0, keyCount).map((field) => field.type);
  return hashRows(batch.columns.slice(0, keyCount), types, batch.rows);
}

function entriesOf(table: KeyTable, columns: ChangeColumns, batch: Batch): Int32Array {
  const keys = keyHashes(columns, batch);
  return Int32Array.from({ length: batch.rows }, (_, row) => table.find(keys, row));
}

/** Throws null_key if a key column of a row is null. */
function checkKeys(columns: ChangeColumns, batch: Batch): void {
  for (let i = 0; i < columns.keyCount; i++) {
    const column = batch.columns[i];
    if (column.kind !== 'values' && column.nulls === null) continue;
    for (let row = 0; row < batch.rows; row++) {
      if (!isNullAt(column, row)) continue;
      const position = batch.positions[row];
      throw new LakeError(
        'null_key',
        `key column "${columns.fields[i].name}" is null in "${batch.file}" at row ${position} ` +
          `(key ${keyText(columns, batch, row)}); every row needs a key`,
        { file: batch.file, details: { position } },
      );
    }
  }
}

/** A row's key as people read it: `repo=git,sha=1a3e`. */
function keyText({ fields, keyCount }: ChangeColumns, batch: Batch, row: number): string {
  return fields
    .slice(0, keyCount)
    .map((field, i) => {
      const text = canonicalText(field.type, valueAt(batch.columns[i], row));
      return `${field.name}=${text ?? 'null'}`;
    })
    .join(',');
}
