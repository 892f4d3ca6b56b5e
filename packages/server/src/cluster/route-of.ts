import type { LhsError } from '@lakehouse-search/contract';
import type { NodeCommit, NodeIndex, NodeState } from './node-state.ts';
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

/** A state of an index that nodes have in common. */
interface Candidate {
  readonly definition: string;
  readonly snapshot: string | null;
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
    const own = state?.indexes.find((one) => one.index === index);
    return own === undefined || state === null ? [] : [{ address, up, node: state.node, own }];
  });
  const answering = parts.filter(({ up }) => up);
  const readable = answering.length > 0 ? answering : parts;
  const best = newestOf(readable, former);
  if (best === null) return null;
  const total = Math.max(...parts.map(({ own }) => own.shards));
  const shards = Array.from({ length: total }, (_, ordinal) => ({
    ordinal,
    replicas: parts
      .filter(({ own }) => own.ordinals.includes(ordinal))
      .flatMap(({ address, node, own }): Replica[] => {
        const found = own.commits.find((commit) => isOf(commit, best));
        return found === undefined ? [] : [{ node, address, commit: found.commit }];
      }),
  }));
  return { index, snapshot: best.snapshot, shards };
}

const isOf = (commit: NodeCommit, { definition, snapshot }: Candidate): boolean =>
  commit.definition === definition && commit.snapshot === snapshot;

/** The candidate that most shards have; of those the newest. */
function newestOf(
  parts: readonly Part[],
  former: Omit<RoutedIndex, 'generation'> | undefined,
): Candidate | null {
  let best: { candidate: Candidate; shards: number; age: number } | null = null;
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
    const better =
      best === null || shards.size > best.shards || (shards.size === best.shards && age < best.age);
    if (better) best = { candidate, shards: shards.size, age };
  }
  return best?.candidate ?? null;
}

/** True if a node that has both says that the candidate is older than what is routed now. */
function isBehind(
  candidate: Candidate,
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
