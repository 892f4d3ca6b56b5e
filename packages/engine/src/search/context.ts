import { LhsError, type SearchResponse, type TableLag } from '@lakehouse-search/contract';
import type { Deadline } from '../base/time/deadline.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { Checkpoint, CommittedField } from '../index/commits/commit.ts';
import { isForbidden } from '../index/commits/source-identity.ts';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import type { Mapping } from '../schema/mapping.ts';
import type { JoinedShards } from '../shard/joined-shards.ts';
import type { Shard } from '../shard/shard.ts';
import type { FanOut } from './fan-out.ts';
import type { ReadRows } from './fetch/table-rows.ts';

/** The lag of a context without a table. */
export const UNKNOWN_LAG: TableLag = Object.freeze({ lag_snapshots: null });

/** The lag after a look that failed. Throws the error of rows that the catalog may hide now. */
export function lagAfter(error: unknown): TableLag {
  if (isForbidden(error)) throw error;
  return UNKNOWN_LAG;
}

/** What a coordinator knows of the commit of its shards. It identifies what is cached of them. */
export interface CommitView {
  /** Number of the generation (`index_generation` of answers). */
  readonly generation: number;
  readonly checkpoint: Pick<Checkpoint, 'snapshot_id'> | null;
  readonly commit: { readonly fields: readonly CommittedField[] };
}

/**
 * What a read works on: the shards of an index at one commit, its mapping, and the way to its
 * table.
 */
export interface SearchContext {
  readonly mapping: Mapping;
  /** The commit of all shards. The caller holds it while the read runs. */
  readonly snapshot: CommitView;
  readonly shards: readonly Shard[];
  /** The same shards as one; null, or absent: they are searched apart. */
  readonly joined?: JoinedShards | null;
  /** The tenant of the caller, who sees only the documents and rows of that tenant. */
  readonly tenant: string | undefined;
  /** When the read has to be done. */
  readonly deadline: Deadline;
  /**
   * Opens the model of a VECTOR field by the name in its plan, with the given checksum if there is
   * one. Throws model_unavailable.
   */
  readonly openModel: (model: string, checksum?: string) => Promise<Embedder>;
  /** Rows of the table as it is now. May throw: then hits carry `hydrate_error`. */
  readonly readRows: ReadRows;
  /**
   * How far the index is behind its table, by the last look at the table; with `now`, by a look
   * that begins now. Errors of the table are part of the answer. Throws source_changed for a commit
   * with rows that the catalog may hide now.
   */
  readonly lag: (now?: 'now') => Promise<TableLag>;
  /** True when the index holds all rows of a source snapshot (an ancestor of the index's own). */
  readonly hasReached: (snapshotId: string) => Promise<boolean>;
}

/** What a read of an open commit in this process works on. */
export interface LocalContext extends SearchContext {
  readonly snapshot: IndexSnapshot;
}

/** Throws snapshot_not_reached where the index does not hold all of a snapshot. */
export async function requireSnapshot(
  context: SearchContext,
  required: string | undefined,
): Promise<void> {
  if (required === undefined) return;
  const own = context.snapshot.checkpoint?.snapshot_id ?? null;
  if (own === required || (await context.hasReached(required))) return;
  const { index } = context.mapping.definition;
  const message = `index "${index}" is at snapshot ${own ?? 'none'}, not yet at ${required}`;
  throw new LhsError('snapshot_not_reached', message, {
    next: [{ step: 'sync', index }],
    details: { snapshot: own },
  });
}

/** How many shards answered. */
export function scanned(fan: FanOut): Pick<SearchResponse, 'shards_scanned' | 'shards_total'> {
  const { length } = fan.shards;
  return { shards_scanned: length - fan.failed, shards_total: length };
}

/** What every answer says of its commit. */
export function commitState({
  snapshot,
}: SearchContext): Pick<SearchResponse, 'snapshot' | 'index_generation'> {
  const { checkpoint, generation } = snapshot;
  return { snapshot: checkpoint?.snapshot_id ?? null, index_generation: generation };
}

/** What every answer says of its commit and of its own time. */
export function envelope(
  context: SearchContext,
  started: number,
): Pick<SearchResponse, 'snapshot' | 'index_generation' | 'took_ms'> {
  return { ...commitState(context), took_ms: millisSince(started, context.tenant) };
}

/** Milliseconds since a reading of `performance.now()`, as the caller sees them. */
export const millisSince = (started: number, tenant: string | undefined): number =>
  shownMillis(performance.now() - started, tenant);

/**
 * Milliseconds to the microsecond. For a tenant's caller they are whole: microseconds tell whether
 * rows of another tenant have a word.
 */
export const shownMillis = (millis: number, tenant: string | undefined): number =>
  tenant === undefined ? Math.round(millis * 1000) / 1000 : Math.round(millis);

/**
 * Requested first: a look at the table that an answer waits for goes on while the index answers.
 */
export function lagOf({ lag }: SearchContext): Promise<TableLag> {
  const requested = lag();
  requested.catch(() => {});
  return requested;
}

/** What a claim about all rows adds if the index is behind its table; else nothing. */
export async function asIndexed(context: SearchContext): Promise<string> {
  const { lag_snapshots: lag } = await lagOf(context).catch(() => UNKNOWN_LAG);
  if (lag === null || lag === 0) return '';
  return ` (of the index, ${lag} ${lag === 1 ? 'snapshot' : 'snapshots'} behind the table)`;
}

/** The notes of a response; none is no field. */
export const notesOf = (notes: readonly string[]): { readonly notes?: readonly string[] } =>
  notes.length === 0 ? {} : { notes };
