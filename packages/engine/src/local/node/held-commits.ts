import { LhsError } from '@lakehouse-search/contract';
import { lastPublication } from '../../home/writing/publication.ts';
import type { KnownIndex, OpenIndex } from '../../open/open-index.ts';
import type { LocalIndexes } from '../local-indexes.ts';

/** A commit that was replaced stays open so long: readers may still be routed to it. */
const HELD_MS = 60_000;
/** The newest commits stay open however old they are. */
const LEAST_HELD = 2;
/** Commits of one index that are open at once. */
const MOST_HELD = 32;

/** A commit that is open for readers. */
export interface HeldCommit {
  /** Names it on this node. */
  readonly name: string;
  readonly known: KnownIndex;
  readonly open: OpenIndex;
  /** Ticks of the clock when this node opened it. */
  readonly openedAt: number;
}

interface Held extends HeldCommit {
  /** When a newer commit replaced it; null: it is the newest. */
  replacedAt: number | null;
}

/**
 * The commits of a node that readers may name: the newest of each index, and former ones for some
 * time after they were replaced. Files of a former commit stay mapped when they are unlinked.
 */
export class HeldCommits {
  readonly #indexes: LocalIndexes;
  /** By uuid of the index, the newest first. */
  readonly #held = new Map<string, readonly Held[]>();

  constructor(indexes: LocalIndexes) {
    this.#indexes = indexes;
  }

  /** The commits of an index that can be read, the newest first; none if it is not built. */
  list(known: KnownIndex): readonly HeldCommit[] {
    try {
      this.#look(known);
    } catch (error) {
      if (!(error instanceof LhsError) || error.code !== 'index_not_built') throw error;
    }
    return this.#held.get(known.registered.uuid) ?? [];
  }

  /** A commit by its name; the caller releases its snapshot. Throws not_found. */
  hold(known: KnownIndex, name: string): OpenIndex {
    const { uuid } = known.registered;
    const named = () => this.#held.get(uuid)?.find((held) => held.name === name);
    let found = named();
    if (found === undefined) {
      this.#look(known);
      found = named();
    }
    if (found === undefined) throw commitGone(known, name);
    found.open.snapshot.retain();
    return found.open;
  }

  /** Releases the commits of indexes that were dropped. */
  sweep(): void {
    const uuids = new Set(this.#indexes.registry.list().map(({ uuid }) => uuid));
    for (const [uuid, held] of this.#held) {
      if (uuids.has(uuid)) continue;
      for (const { open } of held) open.snapshot.release();
      this.#held.delete(uuid);
    }
  }

  /** Releases all commits. */
  close(): void {
    for (const held of this.#held.values()) for (const { open } of held) open.snapshot.release();
    this.#held.clear();
  }

  #look(known: KnownIndex): void {
    const { uuid } = known.registered;
    const open = this.#indexes.hold(known);
    const held = this.#held.get(uuid) ?? [];
    const [newest] = held;
    const isSame = newest?.open.snapshot === open.snapshot;
    const name = isSame ? newest.name : commitName(this.#indexes, known, open);
    const now = this.#indexes.clock.ticks();
    if (newest?.name === name) {
      open.snapshot.release();
      this.#keep(uuid, held, now);
      return;
    }
    for (const former of held) former.replacedAt ??= now;
    this.#keep(uuid, [{ name, known, open, openedAt: now, replacedAt: null }, ...held], now);
  }

  #keep(uuid: string, held: readonly Held[], now: number): void {
    const isKept = ({ replacedAt }: Held, i: number) =>
      i < LEAST_HELD || (i < MOST_HELD && now - (replacedAt ?? now) < HELD_MS);
    for (const [i, one] of held.entries()) if (!isKept(one, i)) one.open.snapshot.release();
    this.#held.set(uuid, held.filter(isKept));
  }
}

/**
 * The name of an open commit: it is the same after a restart, and on all nodes that have it from
 * one store.
 */
function commitName(
  { openDirectory }: Pick<LocalIndexes, 'openDirectory'>,
  { registered: { uuid }, folder }: KnownIndex,
  { snapshot: { generation, commit } }: OpenIndex,
): string {
  const family = lastPublication({ folder, openDirectory })?.family ?? uuid;
  return `${family.slice(0, 8)}.${generation}.${commit.number}`;
}

function commitGone({ definition }: KnownIndex, name: string): LhsError {
  const message = `index "${definition.index}" has no commit "${name}" any more`;
  return new LhsError('not_found', message, { details: { commit: name } });
}
