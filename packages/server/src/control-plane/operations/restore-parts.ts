import type { CallContext, RestoreRequest } from '@lakehouse-search/contract';
import {
  type ClusterBackup,
  type ClusterBackupPart,
  registeredDefinition,
  renameDefinition,
} from '@lakehouse-search/engine/internal';
import { partOf, withOnly } from '../../cluster/with-only.ts';
import { withoutCopies } from '../../cluster/without-copies.ts';
import {
  type IndexNodes,
  type IndexPart,
  type LoadedNode,
  namesOf,
  nameTaken,
  type RestoredNames,
} from './index-nodes.ts';
import { allOf, makeParts } from './make-parts.ts';

/** A node of a restore: the part that it restores, and shards that it builds from the table. */
interface Restoring extends Pick<IndexPart, 'node' | 'address'> {
  readonly part: ClusterBackupPart;
  readonly built: readonly number[];
}

type Named = Pick<RestoreRequest, 'target' | 'aliases'>;

/**
 * Makes an index of a cluster from a backup. Each part is restored by the node with the fewest
 * shards. If there are fewer nodes than parts, the shards of the parts that are left are built from
 * the table: two parts cannot be joined, because each numbers the files of the table by itself.
 * Nodes get the definition from here: those in the manifests of parts are not read. Then the
 * cluster adopts the index.
 */
export async function restoreParts(
  nodes: IndexNodes,
  backup: ClusterBackup,
  name: string,
  { aliases = 'all', ...target }: Named,
  call: CallContext,
): Promise<RestoredNames> {
  await refuseTaken(nodes, backup, name, aliases);
  const definition =
    name === backup.index ? backup.definition : renameDefinition(backup.definition, name);
  const { shards = 1 } = registeredDefinition(definition);
  await nodes.free(name, call);
  const plan = planRestore(backup.parts, await nodes.nodes());
  const restore = async ({ address, part }: Restoring) => {
    const own = partOf(definition, part.ordinals, shards);
    const from = { ...target, index: backup.index, prefix: part.prefix, backup: part.backup };
    const request = { ...from, as: name, definition: own };
    await nodes.service(address).restore({ ...request, aliases: 'none' }, call);
  };
  return makeParts(nodes, name, plan, restore, async () => {
    const growing = plan.filter(({ built }) => built.length > 0);
    await allOf(growing, async (one) => {
      const definition_yaml = withOnly(definition, ordinalsOf(one));
      const writer = await nodes.writer(one.address, name);
      await writer.alterIndex({ index: name, definition_yaml, apply: true }, call);
    });
    const parts = plan.map((one) => ({ ...one, ordinals: ordinalsOf(one) }));
    const isMixed = growing.length > 0;
    const wanted = backup.aliases;
    return nodes.adopt({ name, definition, parts, isMixed, wanted, aliases }, call);
  });
}

const ordinalsOf = ({ part, built }: Restoring): readonly number[] =>
  [...part.ordinals, ...built].sort((a, b) => a - b);

async function refuseTaken(
  nodes: IndexNodes,
  { aliases }: ClusterBackup,
  name: string,
  mode: Named['aliases'],
): Promise<void> {
  const names = await namesOf(nodes);
  if (names.has(name)) throw nameTaken('index_exists', name);
  const other = aliases.find((alias) => alias === name || names.has(alias));
  if (mode === 'all' && other !== undefined) throw nameTaken('already_exists', other);
}

/**
 * The node with the fewest shards for each part, the first by name among equals; the same for each
 * shard of the parts for which no node is left.
 */
export function planRestore(
  parts: readonly ClusterBackupPart[],
  nodes: readonly LoadedNode[],
): readonly Restoring[] {
  const load = new Map(nodes.map(({ node, shards }) => [node, shards]));
  const least = (of: readonly Pick<LoadedNode, 'node' | 'address'>[]) =>
    of.reduce((a, b) => (load.get(b.node)! < load.get(a.node)! ? b : a));
  const add = (node: string, count: number) => load.set(node, load.get(node)! + count);
  const largest = withoutCopies(parts);
  const plan = new Map<string, Restoring>();
  for (const part of largest.slice(0, nodes.length)) {
    const { node, address } = least(nodes.filter((one) => !plan.has(one.node)));
    plan.set(node, { node, address, part, built: [] });
    add(node, part.ordinals.length);
  }
  const restored = new Set([...plan.values()].flatMap(({ part }) => part.ordinals));
  const others = new Set(largest.flatMap(({ ordinals }) => ordinals));
  for (const shard of [...others].filter((own) => !restored.has(own))) {
    const one = plan.get(least([...plan.values()]).node)!;
    plan.set(one.node, { ...one, built: [...one.built, shard] });
    add(one.node, 1);
  }
  return [...plan.values()];
}
