import type { LackingCopies } from '@lakehouse-search/contract';
import type { registeredDefinition } from '@lakehouse-search/engine/internal';
import { lackingCopies } from '../../cluster/copies.ts';
import { readableIndex } from '../../cluster/node-state.ts';
import type { Route } from '../../store/routes.ts';
import type { LivingNode } from '../placement/route-over.ts';

type Defined = Pick<ReturnType<typeof registeredDefinition>, 'replicas'>;

/** The shards of a route that no node has at its snapshot; undefined: none. */
export function missingShards({
  replicas,
}: Pick<Route, 'replicas'>): readonly number[] | undefined {
  const missing = replicas.flatMap((own, shard) => (own.length === 0 ? [shard] : []));
  return missing.length === 0 ? undefined : missing;
}

/**
 * The shards of a route that fewer nodes have than the definition requires, but not none. A
 * definition without `replicas` requires no copies.
 */
export function shortShards(
  { replicas }: Pick<Route, 'replicas'>,
  { replicas: required = 0 }: Defined,
): readonly LackingCopies[] {
  const counts = replicas.map(({ length }) => length);
  return lackingCopies(counts, 1 + required);
}

/** A route without nodes that do not answer now, or not with its commit. */
function answering(route: Route, nodes: readonly LivingNode[]): Pick<Route, 'replicas'> {
  const replicas = route.replicas.map((own) =>
    own.filter(({ node, commit }) => commitsOf(route, node, nodes).includes(commit)),
  );
  return { replicas };
}

/** What a route says of shards that too few of these nodes have. */
export function faultsOf(
  known: Route | undefined,
  nodes: readonly LivingNode[],
  definition: Defined,
) {
  if (known === undefined) return {};
  const route = answering(known, nodes);
  const missing = missingShards(route);
  const short = shortShards(route, definition);
  return {
    ...(missing === undefined ? {} : { missing_shards: missing }),
    ...(short.length === 0 ? {} : { lacking_copies: short }),
  };
}

/**
 * What the probe of a control plane says about shards that no node which answers now has at the
 * snapshot of searches, by index. A control plane stays ready: nodes that build shards need it.
 */
export function missingOf(routes: readonly Route[], nodes: readonly LivingNode[]): object {
  const all = routes.flatMap((route): [string, readonly number[]][] => {
    const missing = missingShards(answering(route, nodes));
    return missing === undefined ? [] : [[route.index, missing]];
  });
  return all.length === 0 ? {} : { status: 'degraded', missing_shards: Object.fromEntries(all) };
}

function commitsOf(
  { index }: Pick<Route, 'index'>,
  node: string,
  nodes: readonly LivingNode[],
): readonly string[] {
  const living = nodes.find((each) => each.node === node && !each.isSilent);
  const own = living && readableIndex(living, index);
  return own?.commits.map(({ commit }) => commit) ?? [];
}
