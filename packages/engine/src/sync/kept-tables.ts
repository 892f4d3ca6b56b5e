import { LhsError, type TableLag } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import type { Clock } from '../base/time/clock.ts';
import { isForbidden, mayRestrict, refuseHidden } from '../index/commits/source-identity.ts';
import type { KnownIndex } from '../open/open-index.ts';
import { type LocalContext, UNKNOWN_LAG } from '../search/context.ts';
import { fromSource } from '../source/source-errors.ts';
import { openSource } from '../source/source-table.ts';
import { snapshotsBehind } from './missing-snapshots.ts';

/** A table that did not answer is not waited for again before this time is over. */
const REST_MS = 5000;
/** The longest time that an answer waits for a look at its table. */
const LAG_MS = 1000;
/** A wait in so many parts: a process that stood still has waited for one of them alone. */
const PARTS_OF_A_WAIT = 10;

/** Ends after `ms` in which the process runs. */
async function waited(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  for (let part = 0; part < PARTS_OF_A_WAIT && !signal.aborted; part++) {
    await clock.sleep(ms / PARTS_OF_A_WAIT, signal);
  }
}

/** The commit that an answer is read from. */
type ReadCommit = Pick<LocalContext, 'snapshot' | 'mapping'>;

/** An open table and its checks: one runs, at most one waits. */
interface Kept {
  readonly version: number;
  readonly stop: AbortController;
  /** Aborts when `stop` does or all checks are abandoned. */
  readonly stopped: AbortSignal;
  table: SourceTable | undefined;
  look: Promise<SourceTable> | undefined;
  next: Promise<SourceTable> | undefined;
  /** Until then `soon` does not wait; in ticks. */
  restsUntil: number;
  /** When the last look ended, in ticks, and whether the table answered. */
  lookedAt: number | undefined;
  answered: boolean;
  /** Why the restrictions of the last answer cannot be applied. */
  refusal: LhsError | undefined;
  /** The snapshot of the commit for which a look was waited for last. */
  soughtFor: string | null | undefined;
}

/** What the last look at a table found. */
export interface Look {
  /** null: the table did not answer. */
  readonly table: SourceTable | null;
  readonly ageMs: number;
}

/**
 * The tables of indexes that are searched: opened once, then asked for their newest version, which
 * costs one look at the table's pointer while nothing changes. A look that fails leaves the table
 * open as it was; the next one tries again.
 */
export class KeptTables {
  readonly #tables = new Map<string, Kept>();
  readonly #clock: Clock;
  readonly #stop = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The table of an index as it is now. Throws as `openSource` does. */
  newest(known: KnownIndex): Promise<SourceTable> {
    const kept = this.#kept(known);
    if (kept.look === undefined) return this.#look(kept, known);
    // The look that goes on may have begun before the caller's own commit.
    kept.next ??= kept.look
      .catch(() => {})
      .then(() => {
        kept.next = undefined;
        return this.#look(kept, known);
      });
    return kept.next;
  }

  /**
   * The table as it is now, or null where it does not answer within `ms`: a table that is away, or
   * hangs, keeps nobody waiting for more than that, and then nobody for a while. Throws the error
   * of restrictions that cannot be applied.
   */
  async soon(known: KnownIndex, ms: number): Promise<SourceTable | null> {
    const kept = this.#kept(known);
    if (this.#clock.ticks() < kept.restsUntil) return null;
    const given = new AbortController();
    const late = waited(this.#clock, ms, given.signal).then(() => null);
    const newest = this.newest(known).catch(unlessKnown);
    const table = await Promise.race([newest, late]).finally(() => given.abort());
    kept.restsUntil = table === null ? this.#clock.ticks() + REST_MS : 0;
    return table;
  }

  /**
   * The last look at a table; null before the first one has ended. A look that is older than
   * `freshMs` starts the next one, which nobody waits for.
   */
  lastLook(known: KnownIndex, freshMs: number): Look | null {
    const kept = this.#kept(known);
    const now = this.#clock.ticks();
    const { lookedAt, look } = kept;
    const ageMs = lookedAt === undefined ? null : Math.max(0, now - lookedAt);
    if (look === undefined && (ageMs === null || ageMs >= freshMs)) {
      this.#look(kept, known).catch(() => {});
    }
    return ageMs === null ? null : { table: kept.answered ? kept.table! : null, ageMs };
  }

  /**
   * How far an index is behind its table: by the last look, or by one that begins now and is waited
   * for at most `LAG_MS` (`mustWait`). Throws source_changed for a commit with rows that the
   * catalog may hide now, and the error of restrictions that cannot be applied.
   */
  async lag(known: KnownIndex, read: ReadCommit, freshMs: number): Promise<TableLag> {
    const last = this.lastLag(known, read, freshMs);
    if (last !== undefined) return last;
    this.#kept(known).soughtFor = read.snapshot.checkpoint?.snapshot_id;
    const table = await this.soon(known, LAG_MS);
    refuseForbidden(this.#kept(known), read);
    return lagOf(read, { table, ageMs: 0 });
  }

  /** The lag by the last look; undefined if a look has to be waited for. Throws as `lag`. */
  lastLag(known: KnownIndex, read: ReadCommit, freshMs: number): TableLag | undefined {
    const kept = this.#kept(known);
    if (this.#mustWait(known, kept, freshMs) || isOutdated(kept, read)) return undefined;
    refuseForbidden(kept, read);
    const look = this.lastLook(known, freshMs);
    return look === null ? UNKNOWN_LAG : lagOf(read, look);
  }

  /**
   * With `freshMs` 0. A REST catalog may restrict reads meanwhile: a look at its table that nobody
   * has renewed is too old, unless the catalog did not answer just now.
   */
  #mustWait({ definition }: KnownIndex, kept: Kept, freshMs: number): boolean {
    if (freshMs === 0) return true;
    if (!mayRestrict(definition) || this.#clock.ticks() < kept.restsUntil) return false;
    return kept.lookedAt === undefined || this.#clock.ticks() - kept.lookedAt >= freshMs + LAG_MS;
  }

  /** Gives up the looks that go on, and the later ones. */
  stop(): void {
    this.#stop.abort();
  }

  /** Closes open tables and abandons running checks. */
  async close(): Promise<void> {
    this.stop();
    const all = [...this.#tables.values()];
    this.#tables.clear();
    for (const kept of all) await discard(kept);
  }

  #kept({ registered }: KnownIndex): Kept {
    const { uuid, version } = registered;
    const known = this.#tables.get(uuid);
    if (known?.version === version) return known;
    if (known !== undefined) void discard(known).catch(() => {});
    const stop = new AbortController();
    const stopped = AbortSignal.any([stop.signal, this.#stop.signal]);
    const kept: Kept = {
      version,
      stop,
      stopped,
      table: undefined,
      look: undefined,
      next: undefined,
      restsUntil: 0,
      lookedAt: undefined,
      answered: false,
      refusal: undefined,
      soughtFor: undefined,
    };
    this.#tables.set(uuid, kept);
    return kept;
  }

  #look(kept: Kept, { definition, registered }: KnownIndex): Promise<SourceTable> {
    const { table, stopped } = kept;
    const look =
      table === undefined
        ? openSource(definition.source, registered.baseDir, stopped)
        : fromSource(() => table.refresh());
    kept.look = look.then(
      (newest) => {
        kept.look = undefined;
        kept.table = newest;
        kept.restsUntil = 0;
        kept.lookedAt = this.#clock.ticks();
        kept.answered = true;
        kept.refusal = undefined;
        return stopped.aborted ? closed(newest) : newest;
      },
      (error: unknown) => {
        kept.look = undefined;
        kept.lookedAt = this.#clock.ticks();
        kept.answered = false;
        if (isForbidden(error)) kept.refusal = error;
        throw error;
      },
    );
    kept.look.catch(() => {});
    return kept.look;
  }
}

/** A table's own fault is an answer here, unless it forbids the read; anything else is not. */
function unlessKnown(error: unknown): null {
  if (error instanceof LhsError && !isForbidden(error)) return null;
  throw error;
}

async function closed(table: SourceTable): Promise<SourceTable> {
  await table.close();
  return table;
}

async function discard({ stop, table }: Kept): Promise<void> {
  stop.abort();
  await table?.close();
}

/** Throws if the table, when it answered last, hid rows of a commit or might do so. */
function refuseForbidden({ table, refusal }: Kept, { snapshot, mapping }: ReadCommit): void {
  if (refusal !== undefined) throw refusal;
  if (table === undefined) return;
  refuseHidden(snapshot.checkpoint, table, mapping.definition.index);
}

/** Whether a commit is newer than the last look at the table; a look is waited for only once. */
function isOutdated({ table, soughtFor }: Kept, { snapshot: { checkpoint } }: ReadCommit): boolean {
  if (table === undefined || checkpoint === null || checkpoint.snapshot_id === soughtFor)
    return false;
  return BigInt(checkpoint.sequence) > (table.snapshots.at(-1)?.sequenceNumber ?? 0n);
}

function lagOf(read: ReadCommit, { table, ageMs }: Look): TableLag {
  const lag_snapshots = table === null ? null : snapshotsBehind(read, table);
  return { lag_snapshots, lag_checked_ms: Math.round(ageMs) };
}
