/** Definitions over a fixed list of nodes: each node has that of its shards. */
import {
  type AlterIndexRequest,
  type CallContext,
  type CreateIndexRequest,
  type IndexDescription,
  LhsError,
  type RenameIndexRequest,
} from '@lakehouse-search/contract';
import { checkRenameIndexRequest, requireListed } from '@lakehouse-search/contract/internal';
import { askNode, registeredDefinition } from '@lakehouse-search/engine/internal';
import { mergeAlterPlan, mergeDescription, mergeRename } from '../../cluster/merge-indexes.ts';
import { partOf, withoutOnly } from '../../cluster/with-only.ts';
import { requireWhole } from '../../control-plane/operations/cluster-caller.ts';
import { nameTaken } from '../../control-plane/operations/index-nodes.ts';
import type { AdminNodes } from './admin-nodes.ts';
import { changeInTurn } from './over-all.ts';
import { type PlacedPart, placeShards } from './place-shards.ts';

/** The caller of a call that has failed: what takes it back must not end with it. */
const callerOf = ({ principal }: CallContext): CallContext =>
  principal === undefined ? {} : { principal };

/** Makes an index on the nodes of its shards, or on none. */
export async function createOver(
  nodes: AdminNodes,
  request: CreateIndexRequest,
  call: CallContext,
) {
  requireWhole(call, 'createIndex');
  await nodes.routing.refresh();
  nodes.up();
  const text = request.definition;
  const { index } = registeredDefinition(text);
  requireListed(call, index);
  const parts = placeShards(text, nodes.routing.seen);
  refuseTaken(nodes, parts, index);
  return mergeDescription(await makeParts(nodes, index, parts, request, call));
}

/** Makes these parts of an index on their nodes, or none. */
async function makeParts(
  nodes: AdminNodes,
  index: string,
  parts: readonly PlacedPart[],
  request: Omit<CreateIndexRequest, 'definition'>,
  call: CallContext,
): Promise<readonly IndexDescription[]> {
  try {
    return await changeInTurn(parts, {
      make: async ({ address, definition }) =>
        nodes.at(address).createIndex({ ...request, definition }, call),
      takeBack: ({ address }) =>
        unlessUnknown(nodes.at(address).dropIndex({ index }, callerOf(call))),
    });
  } finally {
    await nodes.routing.refresh();
  }
}

/**
 * The nodes of an index before a build. Shards that no node has, as after the loss of a disk, are
 * given to nodes without the index. Throws unreachable where none can hold one.
 */
export async function ownersToBuild(
  nodes: AdminNodes,
  asked: string | undefined,
  call: CallContext,
) {
  await nodes.routing.refresh();
  const owners = await nodes.owners(asked, call);
  const [{ address, name, shards }] = owners;
  const held = new Set(owners.flatMap(({ ordinals }) => ordinals));
  const missing = [...Array(shards).keys()].filter((ordinal) => !held.has(ordinal));
  if (missing.length === 0) return owners;
  nodes.requireUp(owners);
  const own = new Set(owners.map((owner) => owner.address));
  const free = nodes.routing.seen.filter((seen) => !own.has(seen.address));
  const definition = withoutOnly(await definitionAt(nodes, address, name, call));
  const parts = placeShards(definition, free, missing);
  await makeParts(nodes, name, parts, {}, call);
  await nameParts(nodes, name, parts, call);
  return nodes.owners(name, call);
}

/** Sets the aliases of an index on the nodes of its new parts. */
async function nameParts(
  nodes: AdminNodes,
  index: string,
  parts: readonly PlacedPart[],
  call: CallContext,
): Promise<void> {
  const aliases = [...nodes.routing.aliases()].filter(([, target]) => target === index);
  for (const { address } of parts) {
    for (const [alias] of aliases) await nodes.at(address).setAlias({ alias, index }, call);
  }
  if (aliases.length > 0) await nodes.routing.refresh();
}

/** Throws index_exists if the name is taken on other nodes: those of the shards look themselves. */
function refuseTaken(
  { routing }: AdminNodes,
  parts: readonly { readonly address: string }[],
  name: string,
): void {
  const own = new Set(parts.map(({ address }) => address));
  const others = routing.seen.filter(({ address }) => !own.has(address));
  const indexes = others.flatMap(({ state }) => state?.indexes ?? []);
  const isTaken = indexes.some(({ index, aliases }) => index === name || aliases.includes(name));
  if (isTaken) throw nameTaken('index_exists', name);
}

/** Waits for a change of a node that may not have the index. */
async function unlessUnknown(change: unknown): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof LhsError) || error.code !== 'index_not_found') throw error;
  }
}

/**
 * The plan of a new definition; with `apply`, it is put in force on all nodes of the index. If one
 * fails, those that have changed go back to their former definitions.
 */
export async function alterOver(nodes: AdminNodes, request: AlterIndexRequest, call: CallContext) {
  const owners = await nodes.owners(request.index, call);
  const text = request.definition_yaml;
  const alter = (address: string, definition_yaml: string, apply: boolean) =>
    nodes.at(address).alterIndex({ ...request, definition_yaml, apply }, call);
  const planned = owners.map(({ address, ordinals, shards }) =>
    alter(address, partOf(text, ordinals, shards), false),
  );
  const plans = await Promise.all(planned);
  if (request.apply !== true) return mergeAlterPlan(plans);
  nodes.requireUp(owners);
  const formers = new Map<string, string>();
  for (const { address, name } of owners) {
    formers.set(address, await definitionAt(nodes, address, name, call));
  }
  const renamed = plans[0].index;
  try {
    const answers = await changeInTurn(owners, {
      make: async ({ address, ordinals, shards }) =>
        alter(address, partOf(text, ordinals, shards), true),
      takeBack: ({ address, name }) => {
        const former = { definition_yaml: formers.get(address)!, apply: true };
        return putBack(nodes, address, [renamed, name], former, callerOf(call));
      },
    });
    return mergeAlterPlan(answers);
  } finally {
    await nodes.routing.refresh();
  }
}

/** Gives an index another name on all of its nodes, or on none. */
export async function renameOver(
  nodes: AdminNodes,
  request: RenameIndexRequest,
  call: CallContext,
) {
  const { index, name } = checkRenameIndexRequest(request);
  const owners = await nodes.owners(index, call);
  requireListed(call, name);
  nodes.requireUp(owners);
  refuseTaken(nodes, owners, name);
  try {
    const answers = await changeInTurn(owners, {
      make: ({ address }) => nodes.at(address).renameIndex(request, call),
      takeBack: ({ address, name: former }) =>
        unlessUnknown(nodes.at(address).renameIndex({ index: name, name: former }, callerOf(call))),
    });
    return mergeRename(answers);
  } finally {
    await nodes.routing.refresh();
  }
}

/** The definition that is in force on a node, YAML. */
export function definitionAt(nodes: AdminNodes, address: string, index: string, call: CallContext) {
  const send = (operation: string, request: Uint8Array) =>
    nodes.client(address).read({ index, commit: '', shard: 0, operation, request }, call);
  return askNode<string>(send, 'definition', {});
}

/** A node whose answer was lost has the index by its new name, or by its former one. */
async function putBack(
  nodes: AdminNodes,
  address: string,
  [renamed, former]: readonly [string, string],
  request: AlterIndexRequest,
  call: CallContext,
): Promise<void> {
  try {
    await nodes.at(address).alterIndex({ ...request, index: renamed }, call);
  } catch (error) {
    const isUnknown = error instanceof LhsError && error.code === 'index_not_found';
    if (!isUnknown || renamed === former) throw error;
    await nodes.at(address).alterIndex({ ...request, index: former }, call);
  }
}
