import { LakeError } from '../base/errors.ts';
import type { Batch } from '../scan/batch.ts';
import { columnsOf } from '../scan/columns.ts';
import { scanParts } from '../scan/scan.ts';
import { selectRows } from '../scan/vectors.ts';
import type { Change, ChangesOptions } from '../source-table.ts';
import { type ChangeSource, changedParts, onlyReplaced } from './change-source.ts';
import { KEY_STATE } from './key-table.ts';
import { type ChangeColumns, checkKeys, type NetKeys, netKeys } from './net-keys.ts';

/**
 * The exact net row changes by key between any two snapshots:
 *
 * 1. only compactions in between, and moves not asked for: nothing, and no file is read;
 * 2. the parts of the two file sets that differ (change-source.ts);
 * 3. nothing was removed: the added rows are streamed as inserts, without a table of keys (so two
 *    added rows with one key are not noticed here); nothing was added: the removed rows are
 *    streamed as deletes;
 * 4. else every key of both sides goes into a table of hashes (net-keys.ts, which states the
 *    memory); a row that is in both with equal columns cancels out, and is a `move` where moves
 *    are asked for;
 * 5. deletes first, then the rest in the order of the added files.
 *
 * Throws null_key and duplicate_key, column_not_found, snapshot_not_found, and the errors of
 * reading.
 */
export async function* changesBetween(
  source: ChangeSource,
  options: ChangesOptions,
): AsyncGenerator<Change> {
  const columns = changeColumns(source, options);
  if (columns.keyCount === 0) {
    throw new LakeError('invalid_argument', 'changes by key need at least one key column');
  }
  const { from, to, signal } = options;
  if (!options.moves && onlyReplaced(source.metadata, from, to)) return;
  const parts = await changedParts(source, from, to);
  const { fields, keyCount } = columns;
  const { context, dead } = source;
  if (parts.before.length === 0) {
    for await (const batch of scanParts(context, dead, { parts: parts.after, fields, signal })) {
      checkKeys(columns, batch);
      yield { kind: 'insert', batch };
    }
  } else if (parts.after.length === 0) {
    const plan = { parts: parts.before, fields: fields.slice(0, keyCount), signal };
    for await (const batch of scanParts(context, dead, plan)) {
      checkKeys(columns, batch);
      yield { kind: 'delete', batch };
    }
  } else yield* netted(await netKeys(source, parts, columns, signal), options.moves === true);
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

async function* netted(net: NetKeys, moves: boolean): AsyncGenerator<Change> {
  if (net.table.count(KEY_STATE.before) > 0) {
    for await (const batch of net.before.batches()) {
      const gone = rowsInState(net, batch, KEY_STATE.before);
      if (gone.length === 0) continue;
      const { keyCount } = net.columns;
      const keys = { ...batch, columns: batch.columns.slice(0, keyCount) };
      yield { kind: 'delete', batch: selectRows(keys, gone) };
    }
  }
  const kinds = [
    ['insert', KEY_STATE.inserted],
    ['update', KEY_STATE.updated],
    ['move', KEY_STATE.same],
  ] as const;
  const wanted = kinds.filter(([kind, state]) => {
    return (kind !== 'move' || moves) && net.table.count(state) > 0;
  });
  if (wanted.length === 0) return;
  for await (const batch of net.after.batches()) {
    for (const [kind, state] of wanted) {
      const rows = rowsInState(net, batch, state);
      if (rows.length > 0) yield { kind, batch: selectRows(batch, rows) };
    }
  }
}

/** The rows of a batch whose key is in `state`, ascending. */
function rowsInState(net: NetKeys, batch: Batch, state: number): Int32Array {
  const entries = net.entries(batch);
  const rows: number[] = [];
  for (let row = 0; row < batch.rows; row++) {
    if (net.table.state(entries[row]) === state) rows.push(row);
  }
  return Int32Array.from(rows);
}
