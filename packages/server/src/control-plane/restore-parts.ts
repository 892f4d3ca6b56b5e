import { type CallContext, LhsError, type RestoreRequest } from '@lakehouse-search/contract';
import {
  type ClusterBackup,
  type ClusterBackupPart,
  registeredDefinition,
  renameDefinition,
} from '@lakehouse-search/engine';
import type { ClusterStore } from '../store/open-store.ts';
import { type ClusterContext, currentNodes, livingNodes, publishRoute } from './cluster-context.ts';

/** A part and the node that restores it. */
interface Restoring {
  readonly part: ClusterBackupPart;
  readonly node: string;
  readonly address: string;
}

/** What a restore did with names. */
interface RestoredNames {
  readonly aliases: readonly string[];
  readonly left_out: readonly string[];
}

type Named = Pick<RestoreRequest, 'target' | 'aliases'>;

/**
 * Makes an index of a cluster from a backup. Each part is restored by the node with the fewest
 * shards. Then the definition, the placement of the shards and the aliases are stored in one
 * transaction: from there on the cluster has the index. After a failure, nodes drop their parts.
 */
export async function restoreParts(
  context: ClusterContext,
  backup: ClusterBackup,
  name: string,
  { aliases, ...target }: Named,
  call: CallContext,
): Promise<RestoredNames> {
  const { store, nodes } = context;
  await refuseTaken(store, backup, name, aliases);
  const definition =
    name === backup.index ? backup.definition : renameDefinition(backup.definition, name);
  const plan = await nodesFor(context, backup.parts);
  const done: Restoring[] = [];
  try {
    const restoring = plan.map(async (one) => {
      const { prefix, backup: id } = one.part;
      const request = { ...target, index: backup.index, prefix, backup: id, as: name };
      const service = nodes.at(one.address).service();
      await service.restore({ ...request, aliases: 'none' }, call);
      done.push(one);
    });
    const failed = (await Promise.allSettled(restoring)).find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const names = await store.change(null, (cluster) =>
      adopt(cluster, { name, definition, plan, wanted: backup.aliases, aliases }),
    );
    const { shards = 1 } = registeredDefinition(definition);
    await publishRoute(store, null, { index: name, shards }, await currentNodes(context));
    return names;
  } catch (error) {
    await Promise.allSettled(
      done.map(({ address }) => nodes.at(address).service().dropIndex({ index: name })),
    );
    throw error;
  }
}

async function refuseTaken(
  { definitions, aliases: all }: ClusterStore,
  { aliases }: ClusterBackup,
  name: string,
  mode: Named['aliases'],
): Promise<void> {
  const names = await all.list();
  const isTaken =
    (await definitions.get(name)) !== undefined || names.some(({ alias }) => alias === name);
  if (isTaken) throw exists('index_exists', name);
  const other = names.find(({ alias }) => aliases.includes(alias));
  if (mode === 'all' && other !== undefined) throw exists('already_exists', other.alias);
}

const exists = (code: 'index_exists' | 'already_exists', name: string): LhsError =>
  new LhsError(code, `"${name}" is the name of another index, or an alias`);

/** The node with the fewest shards for each part, the first by name among equals. */
async function nodesFor(
  { store }: ClusterContext,
  parts: readonly ClusterBackupPart[],
): Promise<readonly Restoring[]> {
  const living = await livingNodes(store);
  if (living.length === 0) throw new LhsError('unreachable', 'no node of the cluster is reachable');
  const placed = await store.placements.list();
  const load = new Map(
    living.map(({ node }) => [node, placed.filter((each) => each.node === node).length]),
  );
  const used = new Set<string>();
  return parts.map((part): Restoring => {
    const free = living.filter(({ node }) => !used.has(node));
    if (free.length === 0) throw tooFew(parts.length, living.length);
    const least = free.reduce((a, b) => (load.get(b.node)! < load.get(a.node)! ? b : a));
    used.add(least.node);
    return { part, node: least.node, address: least.address };
  });
}

/** A node has one part of an index: two cannot be joined. */
function tooFew(parts: number, nodes: number): LhsError {
  const message = `the backup has ${parts} parts, and ${nodes} nodes are living`;
  return new LhsError('unreachable', message, { hint: 'start more nodes, then try again' });
}

interface Adopted {
  readonly name: string;
  readonly definition: string;
  readonly plan: readonly Restoring[];
  readonly wanted: readonly string[];
  readonly aliases: Named['aliases'];
}

/** The index becomes one of the cluster. */
async function adopt(
  cluster: ClusterStore,
  { name, definition, plan, wanted, aliases }: Adopted,
): Promise<RestoredNames> {
  if (!(await cluster.definitions.add(name, definition))) throw exists('index_exists', name);
  for (const { part, node } of plan) {
    for (const shard of part.ordinals) await cluster.placements.set({ index: name, shard, node });
  }
  const taken = new Set((await cluster.aliases.list()).map(({ alias }) => alias));
  const free = aliases === 'none' ? [] : wanted.filter((alias) => !taken.has(alias));
  for (const alias of free) await cluster.aliases.set({ alias, index: name });
  return { aliases: free, left_out: wanted.filter((alias) => !free.includes(alias)) };
}
