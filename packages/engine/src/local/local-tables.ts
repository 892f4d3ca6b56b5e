import type { TableLag } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import type { Clock } from '../base/time/clock.ts';
import { mayRestrict } from '../index/commits/source-identity.ts';
import type { KnownIndex } from '../open/open-index.ts';
import { type LocalContext, UNKNOWN_LAG } from '../search/context.ts';
import type { KeptTables } from '../sync/kept-tables.ts';
import type { EngineLife } from './engine-life.ts';

const FRESHNESS_MS = 1000;

/** The tables of a local engine's indexes. Their code is loaded with the first one. */
export class LocalTables {
  readonly #clock: Clock;
  readonly #life: EngineLife;
  readonly #freshnessMs: number | undefined;
  #tables: KeptTables | undefined;

  /** `freshnessMs`: for all indexes, whatever their definitions say. */
  constructor(clock: Clock, life: EngineLife, freshnessMs: number | undefined) {
    this.#clock = clock;
    this.#life = life;
    this.#freshnessMs = freshnessMs;
  }

  /** The table of an index at its newest version; it stays open. Throws as `openSource`. */
  async newest(known: KnownIndex, signal?: AbortSignal): Promise<SourceTable> {
    const tables = await this.#keptTables();
    const newest = tables.newest(known);
    if (signal === undefined) return newest;
    const { unlessAborted } = await import('../source/source-errors.ts');
    return unlessAborted(() => newest, signal);
  }

  /** The same, or null where the table does not answer within `ms`. */
  async soon(known: KnownIndex, ms: number): Promise<SourceTable | null> {
    return (await this.#keptTables()).soon(known, ms);
  }

  /**
   * How far an index is behind its table by the last look at it. A look that is older than
   * `freshMs` is renewed in the background; 0: by a look that begins now, which is waited for.
   * Throws as `KeptTables.lag`.
   */
  async lag(
    known: KnownIndex,
    read: Pick<LocalContext, 'snapshot' | 'mapping'>,
    freshMs = this.#freshMs(known),
  ): Promise<TableLag> {
    if (freshMs !== 0 && this.#tables === undefined && !mayRestrict(known.definition)) {
      this.#lookAtTable(known, freshMs);
      return UNKNOWN_LAG;
    }
    return (this.#tables ?? (await this.#keptTables())).lag(known, read, freshMs);
  }

  /** The same at once, by the last look; undefined if a look has to be waited for. */
  lastLag(
    known: KnownIndex,
    read: Pick<LocalContext, 'snapshot' | 'mapping'>,
  ): TableLag | undefined {
    return this.#tables?.lastLag(known, read, this.#freshMs(known));
  }

  #freshMs({ definition }: KnownIndex): number {
    return this.#freshnessMs ?? definition.freshnessMs ?? FRESHNESS_MS;
  }

  /** The first look at a table: its code is loaded behind the answer. */
  #lookAtTable(known: KnownIndex, freshMs: number): void {
    const begin = (tables: KeptTables) => {
      if (!this.#life.closed) tables.lastLook(known, freshMs);
    };
    this.#keptTables().then(begin, () => {});
  }

  /** Gives up the looks that go on, and the later ones. */
  stop(): void {
    this.#tables?.stop();
  }

  /** Closes open tables and abandons running checks. */
  async close(): Promise<void> {
    await this.#tables?.close();
  }

  async #keptTables(): Promise<KeptTables> {
    const { KeptTables } = await import('../sync/kept-tables.ts');
    this.#tables ??= new KeptTables(this.#clock);
    return this.#tables;
  }
}
