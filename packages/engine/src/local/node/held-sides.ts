import { randomUUID } from 'node:crypto';
import {
  type CallContext,
  type Coordinates,
  type DiffSide,
  LhsError,
} from '@lakehouse-search/contract';
import { notesOfSides, type RowState, rowStates, tableHas } from '../../diff/row-states.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import { refuseAborted } from '../../source/source-errors.ts';
import { mappingOver } from '../../sync/build/build-generation.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { type OpenSide, openNamedSide, openSide } from '../reads/diff-side.ts';
import { openTableOf } from '../writes/write-index.ts';
import type { HeldCommits } from './held-commits.ts';

/** A side that nobody has used for this time is closed: its gateway has ended. */
const UNUSED_MS = 600_000;

/** A request to open a side of a diff on this node. */
export interface SideRequest {
  /** As a diff names it, with the point in time of this node; or `commit:` and a commit. */
  readonly name: string;
  readonly plan: boolean;
}

/** A side of a diff as a node has opened it. */
export interface SideAnswer {
  /** Names it in reads of this node; null: it was only planned. */
  readonly id: string | null;
  readonly side: DiffSide;
  readonly notes: readonly string[];
}

/** A request for what became of rows between two open sides. */
export interface SideRowsRequest {
  readonly from: string;
  readonly to: string;
  readonly keys: readonly Coordinates[];
}

/** States by key. Not of the table: they are those of the shards that the node holds. */
export interface SideRowsAnswer {
  readonly states: readonly RowState[];
  readonly isOfTable: boolean;
}

interface Held extends OpenSide {
  readonly uuid: string;
  usedAt: number;
}

const COMMIT = 'commit:';

/** The sides of diffs over nodes, as far as this node has them open. */
export class HeldSides {
  readonly #indexes: LocalIndexes;
  readonly #commits: HeldCommits;
  readonly #held = new Map<string, Held>();

  constructor(indexes: LocalIndexes, commits: HeldCommits) {
    this.#indexes = indexes;
    this.#commits = commits;
  }

  /** Opens a side, and builds it if no commit shows it. Throws as the sides of a local diff. */
  async open(
    known: KnownIndex,
    { name, plan }: SideRequest,
    call: CallContext,
  ): Promise<SideAnswer> {
    const table = await openTableOf(known, call.signal);
    try {
      const source = { indexes: this.#indexes, known, table };
      const opened = name.startsWith(COMMIT)
        ? await openSide(source, this.#commitSide(known, name), plan, call)
        : await openNamedSide(source, name, plan, call);
      const notes = notesOfSides(table, [opened]);
      const isUnwanted = call.signal?.aborted === true;
      if (plan || isUnwanted) opened.close();
      refuseAborted(call.signal);
      if (plan) {
        return { id: null, side: opened.side, notes };
      }
      const id = randomUUID();
      const { uuid } = known.registered;
      this.#held.set(id, { ...opened, uuid, usedAt: this.#indexes.clock.ticks() });
      return { id, side: opened.side, notes };
    } finally {
      await table.close();
    }
  }

  /** An open side; it stays open while reads use it. Throws not_found. */
  at(known: KnownIndex, id: string): OpenSide {
    const held = this.#held.get(id);
    if (held === undefined || held.uuid !== known.registered.uuid) {
      throw new LhsError('not_found', `no side "${id}" of a diff is open`);
    }
    held.usedAt = this.#indexes.clock.ticks();
    return held;
  }

  /** What became of rows, by the table, or by the documents of this node. */
  async rows(
    known: KnownIndex,
    { from, to, keys }: SideRowsRequest,
    call: CallContext,
  ): Promise<SideRowsAnswer> {
    const table = await openTableOf(known, call.signal);
    try {
      const [a, b] = [this.at(known, from), this.at(known, to)];
      const rows = {
        from: { index: a.open!.snapshot, snapshotId: a.snapshotId },
        to: { index: b.open!.snapshot, snapshotId: b.snapshotId },
      };
      const states = await rowStates(table, mappingOver(known.definition, table), rows, keys);
      const isOfTable = [a, b].every(({ snapshotId }) => tableHas(table, snapshotId));
      return { states, isOfTable };
    } finally {
      await table.close();
    }
  }

  /** Closes a side; one that is not open is no error. */
  end(id: string): void {
    this.#held.get(id)?.close();
    this.#held.delete(id);
  }

  /** Closes sides that nobody uses. */
  sweep(): void {
    const now = this.#indexes.clock.ticks();
    for (const [id, { usedAt }] of this.#held) if (now - usedAt > UNUSED_MS) this.end(id);
  }

  close(): void {
    for (const id of [...this.#held.keys()]) this.end(id);
  }

  #commitSide(known: KnownIndex, name: string) {
    return { kind: 'live', open: this.#commits.hold(known, name.slice(COMMIT.length)) } as const;
  }
}
