/**
 * The route of an index from what its nodes hold: one commit per shard, all at the same source
 * snapshot under the same definition, so that no response mixes two.
 *
 * 1. Of each shard, the nodes that have commits with it are its copies.
 * 2. A state (definition, snapshot) is visible if every shard that has copies has it. Of several,
 *    the one that is newest on the nodes wins; commits of a node are listed newest first. One that
 *    nodes read from a store goes before a newer one that too few of them have yet.
 * 3. A state that is older than the one in force is never chosen. Without a new state, the one in
 *    force stays, with the copies that still have it: other shards fail until their nodes catch up.
 * 4. A node that does not answer stays with its commit of the route in force, until its lease ends.
 * 5. A node that was promoted to another number of shards stays with its commits of the route in
 *    force, until a route of that number takes its place.
 * 6. An index gets its first route when all of its shards have copies.
 * 7. The node that an index is placed on is its only copy once it has commits, unless nodes read
 *    the index from a store.
 */
import { isDeepStrictEqual } from 'node:util';
import { type CommonState, isOf, isSpread, preferred } from '../../cluster/copies.ts';
import { type NodeCommit, type NodeState, readableIndex } from '../../cluster/node-state.ts';
import type { Route, StoredReplica } from '../../store/routes.ts';

/** A living node: where it is, and what it holds. */
export interface LivingNode extends Pick<NodeState, 'node' | 'indexes' | 'followed'> {
  readonly address: string;
  /** The node did not answer: the rest is what it held at its last heartbeat. */
  readonly isSilent?: boolean;
}

/** An index as its definition and its placement have it. */
export interface PlacedIndex {
  readonly index: string;
  readonly shards: number;
  /** Name of the node that it is placed on. */
  readonly writer?: string | undefined;
}

interface Copy {
  readonly node: LivingNode;
  readonly commits: readonly Pick<NodeCommit, 'commit' | keyof CommonState>[];
}

/**
 * The next route of an index; undefined if the one in force stays as it is, or if the index is not
 * built yet.
 */
export function routeOver(
  { index, shards, writer }: PlacedIndex,
  nodes: readonly LivingNode[],
  former?: Route,
): Route | undefined {
  const copies = Array.from({ length: shards }, (_, shard) => {
    const all = copiesOf(index, shard, shards, nodes, former);
    const only = all.find(({ node }) => node.node === writer && isOfOne(node, index));
    return only === undefined ? all : [only];
  });
  const held = nodes.flatMap((node) => (node.isSilent ? [] : (readableIndex(node, index) ?? [])));
  const spread = (state: CommonState) => isSpread(state, held);
  const state =
    nextState(copies, former, spread) ?? (former?.shards === shards ? former : undefined);
  if (state === undefined) return undefined;
  const { definition, snapshot } = state;
  const route: Route = {
    ...{ index, shards, definition, snapshot },
    generation: (former?.generation ?? 0) + 1,
    replicas: copies.map((own, shard) => replicasOf(`${index}/${shard}`, own, state)),
  };
  const isSame = isDeepStrictEqual({ ...former, generation: route.generation }, route);
  return isSame ? undefined : route;
}

function copiesOf(
  index: string,
  shard: number,
  shards: number,
  nodes: readonly LivingNode[],
  former: Route | undefined,
): readonly Copy[] {
  return nodes.flatMap((node) => {
    if (node.isSilent) return former?.shards === shards ? formerCopy(node, shard, former) : [];
    const own = readableIndex(node, index);
    if (own === undefined) return [];
    const isOfRoute = ({ definition }: NodeCommit) => definition === former?.definition;
    if (own.shards !== shards) {
      const commits = own.commits.filter(isOfRoute);
      return commits.length > 0 && isReplica(node, shard, shards, former)
        ? [{ node, commits }]
        : [];
    }
    const isOther = former !== undefined && former.shards !== shards;
    const commits = own.commits.filter(
      (each) => !(isOther && isOfRoute(each)) && each.sizes.some((own) => own.shard === shard),
    );
    return commits.length === 0 ? [] : [{ node, commits }];
  });
}

/** Whether no other node reads the index from a store. */
const isOfOne = (node: LivingNode, index: string): boolean =>
  !node.isSilent && readableIndex(node, index)?.copies === 0;

function isReplica(
  { node }: LivingNode,
  shard: number,
  shards: number,
  former: Route | undefined,
): boolean {
  return former?.shards === shards && former.replicas[shard].some((each) => each.node === node);
}

function formerCopy(node: LivingNode, shard: number, former: Route | undefined): readonly Copy[] {
  const replica = former?.replicas[shard]?.find((each) => each.node === node.node);
  if (former === undefined || replica === undefined) return [];
  const { definition, snapshot } = former;
  return [{ node, commits: [{ commit: replica.commit, definition, snapshot }] }];
}

function nextState(
  copies: readonly (readonly Copy[])[],
  former: Route | undefined,
  spread: (state: CommonState) => boolean,
): CommonState | undefined {
  const held = copies.filter((own) => own.length > 0);
  if (held.length === 0 || (former === undefined && held.length < copies.length)) return undefined;
  const candidates = held[0].flatMap(({ commits }) => commits);
  const visible = candidates.filter((state) =>
    held.every((own) => own.some((copy) => rankOf(copy, state) >= 0)),
  );
  const known = former === undefined ? visible : visible.filter((state) => !isOlder(state));
  const enough = known.filter(spread);
  return (enough.length > 0 ? enough : known).reduce<CommonState | undefined>(
    (best, state) => (best === undefined || ageOf(state) < ageOf(best) ? state : best),
    undefined,
  );

  /** How far a state is from the newest commits, over all shards. */
  function ageOf(state: CommonState): number {
    const ranks = held.map((own) => {
      const found = own.map((copy) => rankOf(copy, state)).filter((rank) => rank >= 0);
      return Math.min(...found);
    });
    return ranks.reduce((a, b) => a + b, 0);
  }

  /** A node that has both states has the one in force later. */
  function isOlder(state: CommonState): boolean {
    return held.flat().some((copy) => {
      const now = rankOf(copy, former!);
      return now >= 0 && rankOf(copy, state) > now;
    });
  }
}

/** Position of the newest commit of a state, from the newest of all; -1: the copy has none. */
const rankOf = ({ commits }: Copy, state: CommonState): number =>
  commits.findIndex((commit) => isOf(commit, state));

function replicasOf(
  shard: string,
  copies: readonly Copy[],
  state: CommonState,
): readonly StoredReplica[] {
  const having = copies.flatMap(({ node: { node, address, isSilent = false }, commits }) => {
    const found = commits.find((commit) => isOf(commit, state));
    return found === undefined ? [] : [{ node, address, up: !isSilent, commit: found.commit }];
  });
  return preferred(shard, having).map(({ up: _, ...replica }) => replica);
}
