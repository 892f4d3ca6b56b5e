import type { LhsError } from '@lakehouse-search/contract';
import { type CommonState, isOf, isSpread, preferred } from './copies.ts';
import { type NodeIndex, type NodeState, readableIndex } from './node-state.ts';
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

/** A node with its part of one index. */
interface Part extends Pick<SeenNode, 'address' | 'up'> {
  readonly node: string;
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
  const best = newestOf(readable, former);
  if (best === null) return null;
  const total = Math.max(...parts.map(({ own }) => own.shards));
  const shards = Array.from({ length: total }, (_, ordinal) => {
    const holding = parts.filter(({ own }) => own.ordinals.includes(ordinal));
    return { ordinal, replicas: replicasOf(`${index}/${ordinal}`, holding, best) };
  });
  return { index, snapshot: best.snapshot, shards };
}

function replicasOf(shard: string, parts: readonly Part[], state: CommonState): readonly Replica[] {
  const having = parts.flatMap(({ node, address, up, own }) => {
    const found = own.commits.find((commit) => isOf(commit, state));
    return found === undefined ? [] : [{ node, address, up, commit: found.commit }];
  });
  return preferred(shard, having).map(({ up: _, ...replica }) => replica);
}

/** The candidate that most shards have; of those the newest that enough nodes have. */
function newestOf(
  parts: readonly Part[],
  former: Omit<RoutedIndex, 'generation'> | undefined,
): CommonState | null {
  let best: (Ranked & { candidate: CommonState }) | null = null;
  for (const candidate of parts.flatMap(({ own }) => own.commits)) {
    if (isBehind(candidate, parts, former)) continue;
    const shards = new Set<number>();
    let age = 0;
    for (const { own } of parts) {
      const at = own.commits.findIndex((commit) => isOf(commit, candidate));
      if (at < 0) continue;
      for (const ordinal of own.ordinals) shards.add(ordinal);
      age += at;
    }
    const spread = isSpread(
      candidate,
      parts.map(({ own }) => own),
    );
    const next = { candidate, shards: shards.size, spread, age };
    if (best === null || isBetter(next, best)) best = next;
  }
  return best?.candidate ?? null;
}

interface Ranked {
  readonly shards: number;
  readonly spread: boolean;
  readonly age: number;
}

function isBetter(one: Ranked, other: Ranked): boolean {
  if (one.shards !== other.shards) return one.shards > other.shards;
  if (one.spread !== other.spread) return one.spread;
  return one.age < other.age;
}

/** True if a node that has both says that the candidate is older than what is routed now. */
function isBehind(
  candidate: CommonState,
  parts: readonly Part[],
  former: Omit<RoutedIndex, 'generation'> | undefined,
): boolean {
  if (former === undefined) return false;
  const routed = new Set(former.shards.flatMap(({ replicas }) => replicas.map((r) => r.commit)));
  return parts.some(({ own }) => {
    const at = own.commits.findIndex(({ commit }) => routed.has(commit));
    if (at < 0 || isOf(own.commits[at], candidate)) return false;
    return own.commits.findIndex((commit) => isOf(commit, candidate)) > at;
  });
}
