/**
 * Former generations of an index, synced with the live one: after each commit of the live
 * generation, each of them is brought to the same snapshot under the definition that it follows. A
 * failure of one is noted and stops nothing; the next sync tries again. They have checkpoints of
 * their own, so every step is applied once.
 */
import { type FallenBehind, LhsError } from '@lakehouse-search/contract';
import type { TypedBatch, TypedPart } from '@lakehouse-search/contract/internal';
import type { SourceTable } from '@lakehouse-search/lake';
import type { Checkpoint } from '../../index/commits/commit.ts';
import { followedSnapshot, openSource } from '../../source/source-table.ts';
import { applyBatch } from '../batch/apply-batch.ts';
import type { FormerGeneration, LockedIndex } from '../locked-index.ts';
import type { SyncResult, SyncSession } from '../sync.ts';
import { type LockedGeneration, openSession } from './open-session.ts';

/** A former generation that is open, and what it follows. */
interface OpenFormer {
  readonly session: SyncSession;
  readonly follows: ReturnType<FormerGeneration['follows']>;
}

/** The former generations of a locked index. They are opened at their first step. */
export class FormerSessions {
  readonly #index: LockedGeneration;
  readonly #open = new Map<number, OpenFormer>();

  constructor(index: LockedGeneration) {
    this.#index = index;
  }

  /**
   * Brings all of them to `live`, the checkpoint of the live generation in `table`; one with
   * another source or ref to its own head. Returns those that have fallen behind. Nothing happens
   * once `signal` is aborted.
   */
  follow(
    table: SourceTable,
    live: Checkpoint | null,
    signal?: AbortSignal,
  ): Promise<readonly FallenBehind[]> {
    return this.#each(signal, async ({ session, follows }) => {
      await followed(this.#index, follows, table, live, async (own, target) => {
        await catchUpFormer(session, own, target, signal);
      });
      await session.takeMerges();
    });
  }

  /**
   * Applies a batch that the live generation has applied, whose rows have `columns`. One that needs
   * other columns, or another batch first, is brought along by the next sync.
   */
  apply(
    batch: TypedBatch,
    parts: () => TypedBatch['parts'],
    columns: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly FallenBehind[]> {
    return this.#each(signal, async ({ session }) => {
      const { target, columns: wanted } = session;
      const chosen = wanted.map((name) => columns.indexOf(name));
      if (chosen.includes(-1)) throw lacksColumn(wanted[chosen.indexOf(-1)]);
      await applyBatch(target, { ...batch, parts: withColumns(parts(), chosen) }, { signal });
      await session.takeMerges();
    });
  }

  /** Gives all of them back. The lock stays the caller's. */
  async close(): Promise<void> {
    for (const number of [...this.#open.keys()]) await this.#close(number);
  }

  async #each(
    signal: AbortSignal | undefined,
    work: (former: OpenFormer) => Promise<void>,
  ): Promise<readonly FallenBehind[]> {
    const { former } = this.#index;
    if (former === undefined) return [];
    const all = former.list();
    await this.#closeOthers(all);
    const behind: FallenBehind[] = [];
    for (const one of all) {
      if (signal?.aborted) break;
      const fault = await this.#attempt(one, work);
      if (signal?.aborted && fault !== null) break;
      former.note(one.generation.number, fault);
      if (fault === null) continue;
      const { code, message } = fault;
      behind.push({ generation: one.generation.number, code, message });
    }
    return behind;
  }

  /** Why it failed; null: it did not. */
  async #attempt(
    former: FormerGeneration,
    work: (former: OpenFormer) => Promise<void>,
  ): Promise<LhsError | null> {
    try {
      await work(this.#opened(former));
      return null;
    } catch (error) {
      await this.#close(former.generation.number);
      if (error instanceof LhsError) return error;
      const message = error instanceof Error ? error.message : String(error);
      return new LhsError('internal', message, { cause: error });
    }
  }

  #opened({ generation, follows: read }: FormerGeneration): OpenFormer {
    const known = this.#open.get(generation.number);
    if (known !== undefined) return known;
    const follows = read();
    const lock = { assertHeld: () => this.#index.lock.assertHeld() };
    const session = openSession({ ...this.#index, ...follows, lock }, generation);
    const opened = { session, follows };
    this.#open.set(generation.number, opened);
    return opened;
  }

  /** Those whose time is over are closed before their folders go. */
  async #closeOthers(all: readonly FormerGeneration[]): Promise<void> {
    const stay = new Set(all.map(({ generation }) => generation.number));
    for (const number of [...this.#open.keys()]) if (!stay.has(number)) await this.#close(number);
    this.#index.former?.sweep();
  }

  async #close(number: number): Promise<void> {
    const open = this.#open.get(number);
    this.#open.delete(number);
    try {
      await open?.session.close();
    } catch (error) {
      // It has failed already, and its next opening reads its last commit.
      if (!(error instanceof LhsError)) throw error;
    }
  }
}

/**
 * Brings a former generation to a snapshot. A snapshot on the way may have rows that its definition
 * refuses: then it goes to the target in one step. Throws as `SyncSession.catchUp`.
 */
export async function catchUpFormer(
  session: SyncSession,
  table: SourceTable,
  target: bigint | null,
  signal: AbortSignal | undefined,
): Promise<SyncResult> {
  try {
    return await session.catchUp(table, target, { signal });
  } catch (error) {
    if (!(error instanceof LhsError) || error.code !== 'source_invalid') throw error;
    return session.jumpTo(table, target, { signal });
  }
}

/**
 * Runs `work` with the table that a former generation follows and the snapshot to bring it to. A
 * table of its own is opened, and closed afterwards. Throws as `openSource`.
 */
async function followed(
  live: Pick<LockedIndex, 'definition' | 'baseDir'>,
  { definition, baseDir }: Pick<LockedIndex, 'definition' | 'baseDir'>,
  table: SourceTable,
  checkpoint: Pick<Checkpoint, 'snapshot_id'> | null,
  work: (table: SourceTable, target: bigint | null) => Promise<void>,
): Promise<void> {
  const { ref } = definition.source;
  if (!sameSource(live, { definition, baseDir })) {
    const own = await openSource(definition.source, baseDir);
    try {
      return await work(own, followedSnapshot(own, ref));
    } finally {
      await own.close();
    }
  }
  if (live.definition.source.ref !== ref) return work(table, followedSnapshot(table, ref));
  const id = checkpoint?.snapshot_id ?? null;
  return work(table, id === null ? null : BigInt(id));
}

function sameSource(
  a: Pick<LockedIndex, 'definition' | 'baseDir'>,
  b: Pick<LockedIndex, 'definition' | 'baseDir'>,
): boolean {
  const text = ({ definition: { source } }: typeof a) => JSON.stringify({ ...source, ref: null });
  return a.baseDir === b.baseDir && text(a) === text(b);
}

async function* withColumns(
  parts: TypedBatch['parts'],
  chosen: readonly number[],
): AsyncGenerator<TypedPart> {
  for await (const part of parts) {
    if (part.kind !== 'rows') yield part;
    else {
      const { batch } = part;
      yield { ...part, batch: { ...batch, columns: chosen.map((i) => batch.columns[i]) } };
    }
  }
}

const lacksColumn = (name: string): LhsError =>
  new LhsError('checkpoint_gap', `the batch lacks column "${name}"`, {
    hint: 'a sync reads it from the table',
  });
