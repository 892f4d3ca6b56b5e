import { type CallContext, type IndexSummary, LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import type { NodeReads } from '@lakehouse-search/engine/internal';
import { indexOf } from '../calls/calls.ts';
import type { NodeIndex } from '../cluster/node-state.ts';
import type { StoredIndex } from '../cluster/registrar.ts';
import { operationsOf } from '../config/operations-of.ts';
import { withOwn } from '../config/with-own.ts';
import { pause } from '../control-plane/leader/leadership.ts';
import type { RepeatedFaults } from '../observe/repeated-faults.ts';
import { WRITES } from './node-access.ts';

/** An open place of published indexes. */
export interface OpenPlace {
  readonly backend: BackendApi;
  readonly reads: NodeReads;
}

/** The names of the indexes that are read, by place; null: all of the place. */
export type Followed = ReadonlyMap<string, readonly string[] | null>;

/** What a node follows with. */
export interface FollowedOptions {
  /** Opens a place. Throws as `openEngine`. */
  readonly open: (place: string, only?: () => readonly string[]) => Promise<OpenPlace>;
  /** The indexes that the node builds itself. */
  readonly own: Pick<NodeReads, 'has' | 'isDefined'>;
  /** The shards that the node was started for; none: it can read all. */
  readonly takes: readonly number[];
  readonly faults: RepeatedFaults;
}

const RETRY_MS = 1000;
const FOLLOW = 'look at published indexes';

/** Indexes that a node reads from stores: it has nothing of them that can be lost. */
export class FollowedPlaces {
  readonly #options: FollowedOptions;
  readonly #open = new Map<string, Promise<OpenPlace | undefined>>();
  readonly #places = new Map<string, OpenPlace>();
  #followed: Followed = new Map();

  constructor(options: FollowedOptions) {
    this.#options = options;
  }

  /** Follows these from now on. A place that cannot be opened is tried again by the next call. */
  async follow(followed: Followed): Promise<void> {
    this.#followed = followed;
    const gone = [...this.#open.keys()].filter((place) => !followed.has(place));
    await Promise.all([...gone.map((place) => this.#leave(place)), ...this.#openAll()]);
  }

  /** Follows these until the returned function is called: tries again once a second. */
  keepFollowing(followed: Followed): () => Promise<void> {
    const stop = new AbortController();
    const following = (async () => {
      while (!stop.signal.aborted) {
        await this.follow(followed);
        await pause(RETRY_MS, stop.signal);
      }
    })();
    return () => {
      stop.abort();
      return following;
    };
  }

  /** The indexes that can be read, but those that the node has built itself. */
  state(): readonly NodeIndex[] {
    const { own, takes } = this.#options;
    return [...this.#places].flatMap(([place, { reads }]) => {
      const names = this.#followed.get(place);
      return reads.state().flatMap((index): NodeIndex[] => {
        const isRead = names?.includes(index.index) ?? true;
        if (!isRead || index.commits.length === 0 || own.has(index.index)) return [];
        const ordinals = [...Array(index.shards).keys()];
        const taken = ordinals.filter((shard) => takes.length === 0 || takes.includes(shard));
        return [{ ...index, ordinals: taken, aliases: [] }];
      });
    });
  }

  /**
   * Waits for the places of which all indexes are read. Throws unreachable if one cannot be opened.
   */
  async requireOpen(): Promise<void> {
    for (const [place, names] of this.#followed) {
      if (names !== null || (await this.#open.get(place)) !== undefined) continue;
      const hint = 'try again; the log of the node says what fails';
      throw new LhsError('unreachable', `"${place}" cannot be opened`, { hint });
    }
  }

  /** Summaries of the indexes that can be read. */
  async list(call: CallContext | undefined): Promise<readonly IndexSummary[]> {
    const names = new Set(this.state().map(({ index }) => index));
    const places = [...this.#places.values()];
    const all = await Promise.all(places.map(({ backend }) => backend.listIndexes({}, call)));
    return all.flat().filter(({ name }) => names.has(name));
  }

  /** The place that has an index which the node has not built itself. */
  placeOf(index: string): OpenPlace | undefined {
    if (this.#places.size === 0 || this.#options.own.has(index)) return undefined;
    return [...this.#places.values()].find(({ reads }) => reads.has(index));
  }

  /** The same for an operation: a node writes what it is to build. */
  placeFor(operation: string, index: string): OpenPlace | undefined {
    const isWritten = WRITES.has(operation) && this.#options.own.isDefined(index);
    return isWritten ? undefined : this.placeOf(index);
  }

  async close(): Promise<void> {
    this.#followed = new Map();
    await Promise.all([...this.#open.keys()].map((place) => this.#leave(place)));
  }

  #openAll(): readonly Promise<unknown>[] {
    return [...this.#followed.keys()].map((place) => {
      const opening = this.#open.get(place) ?? this.#begin(place);
      this.#open.set(place, opening);
      return opening;
    });
  }

  async #begin(place: string): Promise<OpenPlace | undefined> {
    const { open, faults } = this.#options;
    const only = () => this.#followed.get(place) ?? [];
    try {
      const isWhole = this.#followed.get(place) === null;
      const opened = await (isWhole ? open(place) : open(place, only));
      this.#places.set(place, opened);
      faults.succeeded(FOLLOW, { place });
      return opened;
    } catch (error) {
      this.#open.delete(place);
      faults.failed(FOLLOW, error, { place });
      return undefined;
    }
  }

  async #leave(place: string): Promise<void> {
    const opened = await this.#open.get(place);
    this.#open.delete(place);
    this.#places.delete(place);
    opened?.reads.close();
    await opened?.backend.close();
  }
}

/** The names of indexes by the place of their commits. */
export const namesByPlace = (indexes: readonly StoredIndex[]): Followed =>
  new Map(
    [...Map.groupBy(indexes, ({ place }) => place)].map(([place, own]) => {
      return [place, own.map(({ index }) => index)];
    }),
  );

type Call = (request: unknown, ...others: unknown[]) => unknown;

/** A backend whose calls of indexes that the node has only from a store go there. */
export function withFollowed(backend: BackendApi, followed: FollowedPlaces): BackendApi {
  const listIndexes: BackendApi['listIndexes'] = async (request, call) => [
    ...(await backend.listIndexes(request, call)),
    ...(await followed.list(call)),
  ];
  const here = { ...operationsOf(backend), listIndexes };
  const routed = Object.entries(here).map(([name, call]): [string, Call] => [
    name,
    (request, ...others) => {
      const at = followed.placeFor(name, indexOf(request) ?? '')?.backend;
      const there = at?.[name as keyof BackendApi] as Call | undefined;
      return there === undefined
        ? (call as Call)(request, ...others)
        : there.call(at, request, ...others);
    },
  ]);
  return withOwn(backend, Object.fromEntries(routed));
}
