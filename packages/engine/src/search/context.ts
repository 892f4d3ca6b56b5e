import type { TableLag } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import type { Deadline } from '../base/deadline.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import type { Mapping } from '../schema/mapping.ts';
import type { FilterCache } from './execute/filter-cache.ts';
import type { TenantGuard } from './tenant.ts';

/** The lag of a context without a table. */
export const UNKNOWN_LAG: TableLag = Object.freeze({ lag_snapshots: null });

/** What a search works on: an index at one commit, its mapping, and the way to its table. */
export interface SearchContext {
  readonly mapping: Mapping;
  /** Held by the caller while the search runs. */
  readonly snapshot: IndexSnapshot;
  /**
   * The tenant that the caller is of, where it is of one: it sees nothing of others. `guard` is the
   * clause of that, to be ANDed to whatever is asked.
   */
  readonly tenant?: string;
  readonly guard?: TenantGuard | null;
  /** Matches of filters that were asked for before. */
  readonly filters?: FilterCache;
  /** When the request has to be done; by default a query's limit from its start on. */
  readonly deadline?: Deadline;
  /**
   * The model of a VECTOR field by its plan's name for it, of the checksum that is wanted where
   * there is one. Throws model_unavailable.
   */
  readonly openModel?: (model: string, checksum?: string) => Promise<Embedder>;
  /** The table as it is now, for hydration. May throw: then hits carry `hydrate_error`. */
  readonly openTable: () => Promise<SourceTable>;
  /**
   * How far the index is behind its table, by the last look at the table; with `now`, by a look
   * that begins now. Throws nothing that the table throws.
   */
  readonly lag?: (now?: 'now') => Promise<TableLag>;
  /**
   * True when the index holds everything of a source snapshot (it is an ancestor of the index's
   * own).
   */
  readonly hasReached?: (snapshotId: string) => Promise<boolean>;
}
