import type { Route } from '../store/routes.ts';

/** The shards of a route that no node has at its snapshot; undefined: none. */
export function missingShards({
  replicas,
}: Pick<Route, 'replicas'>): readonly number[] | undefined {
  const missing = replicas.flatMap((own, shard) => (own.length === 0 ? [shard] : []));
  return missing.length === 0 ? undefined : missing;
}

/** What the probe of a control plane says about shards without a node, by index. */
export function missingOf(routes: readonly Route[]): object {
  const all = routes.flatMap((route): [string, readonly number[]][] => {
    const missing = missingShards(route);
    return missing === undefined ? [] : [[route.index, missing]];
  });
  return all.length === 0 ? {} : { missing_shards: Object.fromEntries(all) };
}
