/**
 * The route of an index from what its nodes hold: one commit per shard, all at the same source
 * snapshot under the same definition, so that no response mixes two.
 *
 * 1. Of each shard, the nodes that have commits with it are its copies.
 * 2. The state (definition, snapshot) that most shards have is visible, as over a fixed list of
 *    nodes (cluster/route-of.ts).
 * 3. A state that is older than the one in force is never chosen. Without a better state, the one
 *    in force stays, with the copies that still have it: other shards fail until their nodes catch
 *    up.
 * 4. A node that does not answer stays with its commit of the route in force, until its lease ends.
 * 5. A node that was promoted to another number of shards stays with its commits of the route in
 *    force, until a route of that number takes its place.
 * 6. An index gets its first route when all of its shards have copies.
 * 7. The node that an index is placed on is its only copy once it has commits, unless nodes read
 *    the index from a store.
 */
import { isDeepStrictEqual } from 'node:util';
import type { CommonState } from '../../cluster/copies.ts';
import { type NodeCommit, type NodeState, readableIndex } from '../../cluster/node-state.ts';
import { bestState, type Copy, rankOf, replicasOf, statesOf } from '../../cluster/route-of.ts';
import type { Route } from '../../store/routes.ts';

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

/**
 * The next route of an index; undefined if the one in force stays as it is, or if the index is not
 * built yet.
 */
export function routeOver(
  { index, shards, writer }: PlacedIndex,
  nodes: readonly LivingNode[],
  former?: Route,
): Route | undefined {
  const isAlone = nodes.some((node) => node.node === writer && isOfOne(node, index));
  const copies = Array.from({ length: shards }, (_, shard) => {
    const all = nodes.flatMap((node): readonly Copy[] => {
      const commits = commitsOf(node, { index, shards }, shard, former);
      const { address, isSilent = false } = node;
      return commits.length === 0 ? [] : [{ node: node.node, address, up: !isSilent, commits }];
    });
    const only = isAlone ? all.filter(({ node }) => node === writer) : [];
    return only.length === 0 ? all : only;
  });
  if (former === undefined && copies.some((own) => own.length === 0)) return undefined;
  const held = nodes.flatMap((node) => (node.isSilent ? [] : (readableIndex(node, index) ?? [])));
  const all = copies.flat();
  // a node that has both states has the one in force later
  const isOlder = (state: CommonState) =>
    all.some((copy) => {
      const rank = rankOf(copy, state);
      return former !== undefined && Number.isFinite(rank) && rank > rankOf(copy, former);
    });
  const inForce = former?.shards === shards ? [former] : [];
  const newer = statesOf(all).filter((state) => !isOlder(state));
  const state = bestState(copies, [...inForce, ...newer], held);
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

/** The commits of a shard that searches may read on a node. */
function commitsOf(
  node: LivingNode,
  { index, shards }: PlacedIndex,
  shard: number,
  former: Route | undefined,
): Copy['commits'] {
  const isResharded = former !== undefined && former.shards !== shards;
  const routed = isResharded
    ? undefined
    : former?.replicas[shard].find((each) => each.node === node.node);
  if (node.isSilent) return routed === undefined ? [] : [{ ...former!, commit: routed.commit }];
  const own = readableIndex(node, index);
  const isOfRoute = ({ definition }: NodeCommit) => definition === former?.definition;
  if (own === undefined || own.shards !== shards) {
    return routed === undefined ? [] : (own?.commits.filter(isOfRoute) ?? []);
  }
  return own.commits.filter(
    (each) => !(isResharded && isOfRoute(each)) && each.sizes.some((one) => one.shard === shard),
  );
}

/** Whether no other node reads the index from a store. */
const isOfOne = (node: LivingNode, index: string): boolean =>
  !node.isSilent && readableIndex(node, index)?.copies === 0;
