import {
  type AggsOf,
  type FastOf,
  type Hit,
  LhsError,
  type NoAggs,
  type SearchRequest,
  type SearchResponse,
  type Seen,
  type TypedCounts,
  type TypedPage,
  type With,
} from '@lakehouse-search/contract';
import { figuresOf } from '@lakehouse-search/contract/internal';
import { changeRows, type SourceTable } from '@lakehouse-search/lake';
import type { LocalBackend } from '../open-local.ts';
import { fromSource } from '../source/source-errors.ts';
import {
  type CollectionChange,
  type CollectionFollow,
  followCollection,
} from './collection-changes.ts';
import { type Figures, numberRules } from './collection-figures.ts';
import { keyCell, rowOf, type TableRow, tableRow } from './collection-rows.ts';
import { type CollectionPlan, collectionTable, isLake } from './collection-table.ts';
import type { Columns, ColumnTypes, NewRowOf, RowOf } from './columns.ts';
import { type Changes, GroupCommits } from './group-commits.ts';
import { maintainTable } from './maintain-table.ts';

type Searchable = Omit<SearchRequest, 'index' | 'fields' | 'hydrate' | 'hydrate_columns'>;

/** What to search for in a collection: as `SearchRequest`, with its columns. */
export type CollectionSearch<
  C extends Columns,
  X = FastOf<ColumnTypes<C>>,
  A = AggsOf<ColumnTypes<C>>,
> = With<Searchable, Omit<TypedPage<ColumnTypes<C>, never, X, A>, 'fields'>>;

/** A row that a search found. */
export interface CollectionHit<R, K>
  extends Omit<Hit, 'coordinates' | 'key' | 'id' | 'fields' | 'row'> {
  readonly key: K;
  readonly row: R;
}

/** The response to a search of a collection. */
export type CollectionResponse<
  C extends Columns,
  N extends keyof C,
  X = never,
  A = NoAggs,
  R = unknown,
> = Omit<SearchResponse, 'hits' | 'facets' | 'aggs'> & {
  readonly hits: readonly CollectionHit<RowOf<C>, RowOf<C>[N]>[];
} & Figures<TypedCounts<ColumnTypes<C>, X, A, R>>;

/** What a change did: the snapshot of the table that contains it; null: there is none. */
export interface Changed {
  readonly snapshot: string | null;
}

/** Tries of a commit when other processes are faster; each of them is several of the table's. */
const COMMIT_TRIES = 10;

/**
 * Plain rows by key, searched: an Iceberg table in the data folder, and an index over it that is in
 * step when a change returns. Close it when done.
 */
export class Collection<C extends Columns, N extends keyof C & string> {
  /** The engine below, for its other operations. */
  readonly backend: LocalBackend;
  /** Its name, which is that of the index. */
  readonly name: string;
  readonly #plan: CollectionPlan;
  readonly #commits: GroupCommits;
  readonly #closing = new AbortController();
  #table: SourceTable;
  #committed = Promise.withResolvers<void>();

  /** For `openCollection`. */
  constructor(plan: CollectionPlan, table: SourceTable, backend: LocalBackend) {
    this.#plan = plan;
    this.#table = table;
    this.backend = backend;
    this.name = plan.name;
    const afterwards = () => maintainTable(plan, this.#table, () => this.sync());
    this.#commits = new GroupCommits((changes) => this.#commit(changes), afterwards);
  }

  /**
   * Inserts rows whose key is new and replaces the others; of several rows with one key the last
   * one counts. Returns when the rows are durable and searches find them. Throws invalid_argument.
   */
  async upsert(rows: NewRowOf<C> | readonly NewRowOf<C>[]): Promise<Changed> {
    const list: readonly NewRowOf<C>[] = Array.isArray(rows) ? rows : [rows];
    const changes = new Map<string | number, TableRow | null>();
    for (const row of list) {
      const cells = tableRow(this.#plan, row);
      changes.set(cells[this.#plan.key] as string | number, cells);
    }
    return this.#change(changes);
  }

  /** Deletes rows by key. Keys without a row are no error. */
  async delete(keys: RowOf<C>[N] | readonly RowOf<C>[N][]): Promise<Changed> {
    const list: readonly unknown[] = Array.isArray(keys) ? keys : [keys];
    const cells = list.map((key) => [keyCell(this.#plan, key) as string | number, null] as const);
    return this.#change(new Map(cells));
  }

  /** The row of a key, as the table has it now; null: there is none. */
  async get(key: RowOf<C>[N]): Promise<RowOf<C> | null> {
    const { key: name } = this.#plan;
    const value = String(keyCell(this.#plan, key));
    const keys = [{ identifier: [{ name, value }] }];
    const { rows } = await this.backend.getKeys({ index: this.name, keys });
    return rows.length === 0 ? null : (rowOf(this.#plan, rows[0].fields) as RowOf<C>);
  }

  /** Searches the rows; a text is the query. Throws invalid_query, invalid_argument. */
  search<
    const X extends FastOf<ColumnTypes<C>> = never,
    const A extends AggsOf<ColumnTypes<C>> = NoAggs,
    R = unknown,
  >(
    request: string | (CollectionSearch<C, X, A> & Seen<R, CollectionSearch<C, X, A>>),
  ): Promise<CollectionResponse<C, N, X, A, R>>;
  async search(request: string | Searchable): Promise<object> {
    const search = typeof request === 'string' ? { query: request } : request;
    const found = await this.backend.search({ ...search, index: this.name });
    const hits = found.hits.map(({ coordinates: _, id: __, fields = {}, ...hit }) => {
      const row = rowOf(this.#plan, fields) as RowOf<C>;
      return Object.freeze({ ...hit, row, key: row[this.#plan.key as N] });
    });
    const { aggs } = found;
    if (aggs === undefined) return Object.freeze({ ...found, hits });
    const figures = figuresOf(numberRules(this.#plan.columns), search.aggs ?? {}, aggs);
    return Object.freeze({ ...found, hits, aggs: figures });
  }

  /**
   * Yields what changes in the table, whoever writes it: net changes by key, once searches find
   * them. Ends with the signal or the collection. Throws not_found if `from` has expired.
   */
  async *follow(
    options: CollectionFollow = {},
  ): AsyncGenerator<CollectionChange<RowOf<C>, RowOf<C>[N]>, undefined> {
    const followed = {
      plan: this.#plan,
      refresh: () => this.#refresh(),
      sync: () => this.sync(),
      committed: () => this.#committed.promise,
      closing: this.#closing.signal,
    };
    yield* followCollection(followed, options) as AsyncGenerator<
      CollectionChange<RowOf<C>, RowOf<C>[N]>
    >;
  }

  /** Brings the index to what other programs have written to the table. */
  async sync(): Promise<Changed> {
    const { snapshot } = await this.backend.indexes.sync({ index: this.name });
    return Object.freeze({ snapshot });
  }

  /** Ends following, waits for changes that are being written, and closes the engine. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#commits.settled();
    await this.#table.close();
    await this.backend.close();
  }

  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #change(changes: Changes): Promise<Changed> {
    if (this.#closing.signal.aborted) {
      throw new LhsError('closed', `collection "${this.name}" is closed`);
    }
    return Object.freeze({ snapshot: await this.#commits.add(changes) });
  }

  async #commit(changes: Changes): Promise<string | null> {
    const { key } = this.#plan;
    const upserts = [...changes.values()].filter((row) => row !== null);
    const deletes = [...changes].flatMap(([value, row]) =>
      row === null ? [{ [key]: value }] : [],
    );
    const snapshot = await fromSource(() => this.#write({ upserts, deletes }));
    const { snapshot: synced } = await this.sync();
    await this.#refresh();
    this.#committed.resolve();
    this.#committed = Promise.withResolvers();
    return snapshot ?? synced;
  }

  async #write(changes: Parameters<typeof changeRows>[1]): Promise<string | null> {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await changeRows(collectionTable(this.#plan), changes)).snapshot;
      } catch (error) {
        if (attempt === COMMIT_TRIES || !isLake(error, 'commit_conflict')) throw error;
      }
    }
  }

  async #refresh(): Promise<SourceTable> {
    this.#table = await fromSource(() => this.#table.refresh());
    return this.#table;
  }
}
