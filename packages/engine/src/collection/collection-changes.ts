import { type Field, type Row, type SourceTable, valueToJson } from '@lakehouse-search/lake';
import { SYSTEM_CLOCK } from '../base/time/clock.ts';
import { fromSource, readAhead } from '../source/source-errors.ts';
import { namedSnapshot } from '../source/source-table.ts';
import { rowOf } from './collection-rows.ts';
import type { CollectionPlan } from './collection-table.ts';

/** What changed in a collection between two snapshots of its table, by key. */
export interface CollectionChange<R, K> {
  /** The snapshot that the collection has reached; pass it as `from` to go on later. */
  readonly snapshot: string;
  /** New and changed rows. */
  readonly upserts: readonly R[];
  /** Keys of deleted rows. */
  readonly deletes: readonly K[];
}

/** Where following begins and how it waits. */
export interface CollectionFollow {
  /** Changes after this snapshot; null: all rows. Default: changes from now on. */
  readonly from?: string | null | undefined;
  /** Milliseconds between two looks at the table for commits of other programs. Default: 1,000. */
  readonly pollMs?: number | undefined;
  /** Ends it without an error. */
  readonly signal?: AbortSignal | undefined;
}

const POLL_MS = 1000;

/** The table of a collection as its followers read it. */
export interface FollowedCollection {
  readonly plan: CollectionPlan;
  /** The table at its newest version. */
  readonly refresh: () => Promise<SourceTable>;
  /** Brings the index to the table. */
  readonly sync: () => Promise<unknown>;
  /** Ends with the next commit of this process. */
  readonly committed: () => Promise<unknown>;
  /** Aborted when the collection is closed. */
  readonly closing: AbortSignal;
}

type PlainRow = Readonly<Record<string, unknown>>;

/** Yields the net changes of each step that the table makes. Throws not_found. */
export async function* followCollection(
  followed: FollowedCollection,
  options: CollectionFollow,
): AsyncGenerator<CollectionChange<PlainRow, unknown>> {
  const { pollMs = POLL_MS, from } = options;
  const signal = AbortSignal.any([followed.closing, ...(options.signal ? [options.signal] : [])]);
  let reached = from === undefined ? (await followed.refresh()).currentSnapshotId : undefined;
  while (!signal.aborted) {
    const committed = followed.committed();
    const table = await followed.refresh();
    if (reached === undefined)
      reached = typeof from === 'string' ? namedSnapshot(table, from) : null;
    const head = table.currentSnapshotId;
    if (head !== null && head !== reached) {
      const change = await changeBetween(followed.plan, table, { from: reached, to: head });
      reached = head;
      if (change.upserts.length + change.deletes.length === 0) continue;
      await followed.sync();
      yield change;
      continue;
    }
    await pause(pollMs, committed, signal);
  }
}

/** Ends after so long, with the next commit of this process, or with the signal. */
async function pause(ms: number, committed: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const end = AbortSignal.any([signal, stop.signal]);
  await Promise.race([SYSTEM_CLOCK.sleep(ms, end), committed]);
  stop.abort();
}

async function changeBetween(
  plan: CollectionPlan,
  table: SourceTable,
  { from, to }: { readonly from: bigint | null; readonly to: bigint },
): Promise<CollectionChange<PlainRow, unknown>> {
  const fields = table.schema.fields.filter(({ name }) => plan.columns.has(name));
  if (from !== null) await fromSource(() => table.snapshot(from));
  const columns = fields.map(({ name }) => name).filter((name) => name !== plan.key);
  const upserts: PlainRow[] = [];
  const deletes: unknown[] = [];
  const changes = table.rowChanges({ from, to, key: [plan.key], columns });
  for await (const { op, ...change } of readAhead(changes)) {
    const { key, after } = change as { readonly key: Row; readonly after?: Row };
    const row = rowOf(plan, cellsOf(fields, { ...key, ...after }));
    if (op === 'delete') deletes.push(row[plan.key]);
    else upserts.push(row);
  }
  return Object.freeze({ snapshot: String(to), upserts, deletes });
}

const cellsOf = (fields: readonly Field[], row: Row) =>
  Object.fromEntries(fields.map(({ name, type }) => [name, valueToJson(type, row[name] ?? null)]));
