import type { LhsError } from '@lakehouse-search/contract';
import { type CommonState, isOf, isSpread, preferred } from './copies.ts';
import { type NodeCommit, type NodeIndex, type NodeState, readableIndex } from './node-state.ts';
import type { Replica, RoutedIndex } from './routing.ts';

/** A node as it was seen last. */
export interface SeenNode {
  readonly address: string;
  /** null: it has never answered. */
  readonly state: NodeState | null;
  /** It answered the last look. */
  readonly up: boolean;
  /** Of a node that is not up: the error of the call that it did not answer. */
  readonly fault?: LhsError;
}

/** A node with a shard, and its commits, the newest first. */
export interface Copy extends Pick<SeenNode, 'address' | 'up'> {
  readonly node: string;
  readonly commits: readonly Pick<NodeCommit, 'commit' | keyof CommonState>[];
}

/** A node with its part of one index. */
interface Part extends Omit<Copy, 'commits'> {
  readonly own: NodeIndex;
}

/**
 * The routing of an index over these nodes, without its generation: the newest source snapshot that
 * the shards of all nodes which answer have in common. It never goes back behind `former`. null: no
 * node has built the index.
 */
export function routeOf(
  index: string,
  nodes: readonly SeenNode[],
  former?: Omit<RoutedIndex, 'generation'>,
): Omit<RoutedIndex, 'generation'> | null {
  const parts = nodes.flatMap(({ address, state, up }): Part[] => {
    const own = state === null ? undefined : readableIndex(state, index);
    return own === undefined || state === null ? [] : [{ address, up, node: state.node, own }];
  });
  const answering = parts.filter(({ up }) => up);
  const readable = answering.length > 0 ? answering : parts;
  const total = Math.max(0, ...parts.map(({ own }) => own.shards));
  const copiesOf = (of: readonly Part[]) =>
    Array.from({ length: total }, (_, ordinal): readonly Copy[] =>
      of
        .filter(({ own }) => own.ordinals.includes(ordinal))
        .map(({ own: { commits }, ...at }) => ({ ...at, commits })),
    );
  const held = readable.map(({ own }) => own);
  const candidates = statesOf(held).filter((state) => !isBehind(state, held, former));
  const best = bestState(copiesOf(readable), candidates, held);
  if (best === undefined) return null;
  const shards = copiesOf(parts).map((own, ordinal) => {
    return { ordinal, replicas: replicasOf(`${index}/${ordinal}`, own, best) };
  });
  return { index, snapshot: best.snapshot, shards };
}

/** The states of commits, each once. */
export function statesOf(
  all: readonly { readonly commits: readonly CommonState[] }[],
): readonly CommonState[] {
  const states = all.flatMap(({ commits }) => commits);
  return [...new Map(states.map((one) => [`${one.definition}@${one.snapshot}`, one])).values()];
}

/**
 * The candidate that most shards have; of those one that enough nodes have; of those the newest,
 * and the first one of equal ones. `held`: the index as nodes that answer have it.
 */
export function bestState(
  copies: readonly (readonly Copy[])[],
  candidates: readonly CommonState[],
  held: readonly NodeIndex[],
): CommonState | undefined {
  const ranked = candidates.map((state) => {
    const ranks = copies
      .map((own) => Math.min(...own.map((copy) => rankOf(copy, state))))
      .filter(Number.isFinite);
    const age = ranks.reduce((a, b) => a + b, 0);
    return { state, shards: ranks.length, spread: Number(isSpread(state, held)), age };
  });
  const [best] = ranked.toSorted(
    (a, b) => b.shards - a.shards || b.spread - a.spread || a.age - b.age,
  );
  return best?.state;
}

/** Position of the newest commit of a state, from the newest of all; infinite: there is none. */
export function rankOf({ commits }: Pick<Copy, 'commits'>, state: CommonState): number {
  const at = commits.findIndex((commit) => isOf(commit, state));
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}

/** The copies of a shard that have a state, in order of preference. */
export function replicasOf(
  shard: string,
  copies: readonly Copy[],
  state: CommonState,
): readonly Replica[] {
  const having = copies.flatMap(({ node, address, up, commits }) => {
    const found = commits.find((commit) => isOf(commit, state));
    return found === undefined ? [] : [{ node, address, up, commit: found.commit }];
  });
  return preferred(shard, having).map(({ up: _, ...replica }) => replica);
}

/** True if a node that has both says that a state is older than what is routed now. */
function isBehind(
  state: CommonState,
  held: readonly NodeIndex[],
  former: Omit<RoutedIndex, 'generation'> | undefined,
): boolean {
  const routed = new Set(former?.shards.flatMap(({ replicas }) => replicas.map((r) => r.commit)));
  return held.some(({ commits }) => {
    const at = commits.findIndex(({ commit }) => routed.has(commit));
    if (at < 0 || isOf(commits[at], state)) return false;
    return commits.findIndex((commit) => isOf(commit, state)) > at;
  });
}
