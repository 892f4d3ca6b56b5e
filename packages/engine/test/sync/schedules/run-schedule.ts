import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SyncResponse } from '@lakehouse-search/engine';
import { openTable } from '@lakehouse-search/lake';
import { expect } from 'vitest';
import { expectRows } from './expect-index.ts';
import { FollowedIndex } from './followed-index.ts';
import type { Operation } from './operations.ts';
import { RealTable, type TableOptions } from './real-table.ts';

/** A table, how it changes, and what is done to its index meanwhile. */
export interface Schedule extends TableOptions {
  /** The table begins with rows and a branch. */
  readonly begun: boolean;
  /** Number of shards of the index. */
  readonly shards: number;
  readonly operations: readonly Operation[];
}

/**
 * Runs a schedule: operations on the table go to it and to its model, those on the index are held
 * to the model. Throws where they differ.
 */
export async function runSchedule(schedule: Schedule): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-schedule-'));
  const table = new RealTable(join(folder, 'lake'));
  let run: Run | undefined;
  try {
    await table.create(schedule);
    if (schedule.begun) {
      await table.run({ op: 'append', keys: [0, 1, 2, 3, 4, 5, 6, 7], salt: 0 });
      await table.run({ op: 'branch', snapshot: 0 });
    }
    const { shards } = schedule;
    const more = `sharding: { shards: ${shards} }`;
    const index = await FollowedIndex.create(join(folder, 'data'), table.warehouse, more);
    run = new Run(table, index, shards);
    await run.reindex(null);
    for (const operation of schedule.operations) await run.step(operation);
    await run.sync();
  } finally {
    await run?.index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

class Run {
  readonly table: RealTable;
  readonly index: FollowedIndex;
  readonly shards: number;
  /** The snapshot that the index stands at, and the ref that its last commit followed. */
  #at: string | null = null;
  #atRef: string | null = null;

  constructor(table: RealTable, index: FollowedIndex, shards: number) {
    this.table = table;
    this.index = index;
    this.shards = shards;
  }

  async step(operation: Operation): Promise<void> {
    switch (operation.op) {
      case 'sync':
        return this.sync(operation.net);
      case 'syncUntil':
        return this.#syncUntil(this.table.model.pick(operation.snapshot), operation.net);
      case 'reindex':
        return this.reindex(operation.snapshot);
      case 'fault':
        return this.#fault(operation);
      case 'switchRef':
        if (this.table.model.branch !== null) await this.index.switchRef();
        return;
      case 'compactIndex':
        return this.#compact();
      case 'verify':
        return this.#verify();
      case 'reopen':
        await this.index.reopen();
        return this.#expectAt(this.#at);
      default:
        return this.table.run(operation);
    }
  }

  /** To the head of what the definition follows. */
  async sync(net = false): Promise<void> {
    const target = this.#head();
    const done = await this.index.backend.sync({ net });
    this.#expectAnswer(done, target, net);
    await this.#reached(target, done.snapshots_applied > 0);
  }

  async reindex(pick: number | null): Promise<void> {
    if (!this.table.hasOwnNames) await this.table.changeColumns('renameKind');
    const { model } = this.table;
    const target = pick === null ? this.#head() : model.pick(pick);
    const request = pick === null || target === null ? {} : { as_of: target };
    const done = await this.index.backend.reindex(request);
    expect(done).toMatchObject({ snapshot: target, doc_count: model.rowsOf(target).size });
    await this.#reached(target, true);
  }

  #head(): string | null {
    const { model } = this.table;
    return this.index.ref === null ? model.main : model.branch;
  }

  async #syncUntil(target: string | null, net: boolean): Promise<void> {
    if (target === null) return;
    const done = await this.index.backend.sync({ until: target, net });
    this.#expectAnswer(done, target, net);
    await this.#reached(target, done.snapshots_applied > 0);
  }

  #expectAnswer(done: SyncResponse, target: string | null, net: boolean): void {
    const { model } = this.table;
    const { steps, reason } = model.way(this.#at, target, this.#atRef !== this.index.ref);
    const sum = { inserted: 0, updated: 0, deleted: 0 };
    let before = this.#at;
    for (const id of net ? steps.slice(-1) : steps) {
      const counts = model.change(before, id);
      sum.inserted += counts.inserted;
      sum.updated += counts.updated;
      sum.deleted += counts.deleted;
      before = id;
    }
    expect({ ...done, healed: done.healed ?? null }).toMatchObject({
      snapshot: target,
      doc_count: model.rowsOf(target).size,
      snapshots_applied: steps.length,
      ...sum,
      healed: reason === null ? null : { reason, ...sum },
    });
  }

  async #reached(target: string | null, committed: boolean): Promise<void> {
    this.#at = target;
    if (!committed) return;
    this.#atRef = this.index.ref;
    await this.#expectAt(target);
  }

  async #expectAt(snapshot: string | null): Promise<void> {
    expect((await this.index.backend.describeIndex({})).snapshot).toBe(snapshot);
    const { model, config } = this.table;
    const known = snapshot === null || model.alive.includes(snapshot);
    const table = known ? await openTable(config) : null;
    await expectRows(this.index, model.rowsOf(snapshot), table, snapshot);
    await table?.close();
  }

  /** The index stands at the snapshot it stood at, or at one on the way, whole. */
  async #fault({ kind, at, rebuild }: Extract<Operation, { op: 'fault' }>): Promise<void> {
    const { backend } = this.index;
    const target = this.#head();
    const { steps } = this.table.model.way(this.#at, target, this.#atRef !== this.index.ref);
    if (rebuild && !this.table.hasOwnNames) await this.table.changeColumns('renameKind');
    const before = await backend.describeIndex({});
    const work = () => (rebuild ? backend.reindex({}) : backend.sync({}));
    if (kind === 'model') await this.index.withModelFault(at % 6, work);
    else await this.index.withFault({ kind, operation: at }, work);
    const { snapshot, index_generation } = await this.index.backend.describeIndex({});
    const allowed = rebuild ? [this.#at, target] : [this.#at, ...steps];
    expect(allowed).toContain(snapshot);
    const committed = snapshot !== this.#at || index_generation !== before.index_generation;
    if (committed) this.#atRef = this.index.ref;
    this.#at = snapshot;
    await this.#expectAt(snapshot);
  }

  async #compact(): Promise<void> {
    const done = await this.index.backend.compact({});
    expect(done.segments_after).toBeLessThanOrEqual(this.shards);
    await this.#expectAt(this.#at);
  }

  /** Against the checkpoint's snapshot, where the table still knows it. */
  async #verify(): Promise<void> {
    if (this.#at !== null && !this.table.model.alive.includes(this.#at)) return;
    const found = await this.index.backend.verify({});
    expect(found).toMatchObject({ equal: true, missing: 0, extra: 0, stale: 0, faults: [] });
    expect(found.rows_compared).toBe(this.table.model.rowsOf(this.#at).size);
  }
}
