/**
 * Operations that are no reads of shards, over a fixed list of nodes: each goes to the nodes that
 * hold the index, and the answers are merged. An operation that is not defined over several nodes
 * is refused if the index has several.
 */
import type { CallContext } from '@lakehouse-search/contract';
import {
  checkCall,
  OPERATION_NAMES,
  OPERATIONS,
  type RequestOf,
  type ResponseOf,
} from '@lakehouse-search/contract/internal';
import type { Run } from '../../calls/service-over.ts';
import { isMerged } from '../../cluster/merge-answers.ts';
import { mergeSummary } from '../../cluster/merge-indexes.ts';
import type { NodeClient } from '../../cluster/node-client.ts';
import type { NodeWatch } from '../../cluster/node-watch.ts';
import { overNodes } from '../../cluster/over-nodes.ts';
import { sumOf } from '../../cluster/sum-of.ts';
import { withoutOnly } from '../../cluster/with-only.ts';
import { requireAllShards } from '../../control-plane/operations/index-nodes.ts';
import {
  type WholeOptions,
  wholeOperations,
} from '../../control-plane/operations/whole-operations.ts';
import { makeReceiptKey } from '../../store/receipt-key.ts';
import type { AdminBackend } from '../cluster-backend.ts';
import { jobOperations } from './admin-jobs.ts';
import { aliasOperations, queryOperations } from './admin-names.ts';
import {
  type AdminMethods,
  type AdminName,
  AdminNodes,
  type AdminRouting,
  isAdmin,
  overSeveral,
} from './admin-nodes.ts';
import { pitOperations } from './admin-pits.ts';
import { streamsOf } from './admin-streams.ts';
import { dropOver } from './drop-over.ts';
import { faultsAt } from './faults-at.ts';
import { alterOver, createOver, ownersToBuild, renameOver } from './static-definitions.ts';
import { StaticIndexNodes } from './static-index-nodes.ts';
import { statusOver } from './status-over.ts';

/** What a gateway over a fixed list of nodes has of its own. */
export interface StaticAdminOptions extends Omit<WholeOptions, 'receiptKey'> {
  /** Ends reads of nodes that are stopped. Default: after a second. */
  readonly watch?: NodeWatch;
  /** The private key of receipts. Default: one of this process. */
  readonly receiptKey?: () => Promise<string>;
}

/** The operations over a fixed list of nodes. */
export function staticAdmin(
  routing: AdminRouting,
  node: (address: string) => NodeClient,
  options: StaticAdminOptions = {},
): AdminBackend {
  const nodes = new AdminNodes(routing, node, options.watch);
  const special: AdminMethods = { ...specialOperations(nodes, options), ...streamsOf(nodes) };
  const methods = OPERATION_NAMES.filter(isAdmin).map((name) => {
    const run =
      (special[name] as Run | undefined) ??
      ((request, call) => forward(nodes, name, request, call));
    return [name, OPERATIONS[name].stream === 'responses' ? items(name, run) : checked(name, run)];
  });
  return { ...Object.fromEntries(methods), close: async () => {} } as AdminBackend;
}

/** A request is checked before anything of it is looked at. */
function checked(name: AdminName, run: Run): Run {
  return async (request, context) => {
    const call = checkCall(context);
    OPERATIONS[name].check(request);
    return run(request ?? {}, call);
  };
}

function items(name: AdminName, run: Run): Run {
  return async function* (request, context) {
    const call = checkCall(context);
    OPERATIONS[name].check(request);
    yield* run(request ?? {}, call) as AsyncIterable<unknown>;
  };
}

/** Runs an operation on the nodes that it concerns. */
async function forward(
  nodes: AdminNodes,
  name: AdminName,
  request: unknown,
  call: CallContext,
): Promise<unknown> {
  const { index } = request as { readonly index?: string };
  const { nodes: rule } = OPERATIONS[name];
  const anywhere = rule === 'any' || (rule === 'one' && !index);
  if (anywhere) return (nodes.at(nodes.up()[0])[name] as Run)(request, call);
  const isBuild = name === 'reindex';
  const owners = await (isBuild ? ownersToBuild(nodes, index, call) : nodes.owners(index, call));
  if (rule === 'whole') requireAllShards(owners[0].name, owners[0].shards, owners);
  if (owners.length > 1 && !isMerged(name) && rule !== 'one' && rule !== 'owner')
    throw overSeveral(name, owners.length);
  const at = (address: string) =>
    rule === 'answering'
      ? nodes.read(address, name, request as RequestOf<AdminName>, call)
      : (nodes.at(address)[name] as Run)(request, call);
  const run = async () => {
    if (!isMerged(name)) return at(owners[0].address);
    const parts = owners.map(({ address, ordinals }) => {
      return { ordinals, run: async () => at(address) as ResponseOf<typeof name> };
    });
    return overNodes(name, parts);
  };
  return rule === 'answering' ? run() : run().finally(() => nodes.routing.refresh());
}

/** A key of this process alone. */
function ownKey(): () => Promise<string> {
  let key: string | undefined;
  return async () => (key ??= makeReceiptKey());
}

function specialOperations(nodes: AdminNodes, options: StaticAdminOptions): AdminMethods {
  const { receiptKey = ownKey() } = options;
  return {
    createIndex: (request, call = {}) => createOver(nodes, request, call),
    alterIndex: (request, call = {}) => alterOver(nodes, request, call),
    getDefinition: async ({ index }, call = {}) => {
      const [{ address, name }] = await nodes.owners(index, call);
      const { definition } = await nodes.at(address).getDefinition({ index: name }, call);
      return { index: name, definition: withoutOnly(definition) };
    },
    renameIndex: (request, call = {}) => renameOver(nodes, request, call),
    dropIndex: (request, call = {}) => dropOver(nodes, request, call),
    status: async (request, call = {}) => {
      const status = await statusOver(
        nodes,
        await nodes.owners(request.index, call),
        request,
        call,
      );
      return { ...status, ...(await faultsAt(nodes, status.index, call)) };
    },
    listIndexes: async (request, call = {}) => {
      const all = (await nodes.each('listIndexes', request, call)).flat();
      const up = nodes.routing.seen.filter((seen) => seen.up);
      const states = up.flatMap(({ state }) => state ?? []);
      const summaries = [...Map.groupBy(all, ({ name }) => name)].map(async ([name, parts]) => ({
        ...mergeSummary(parts),
        num_docs: sumOf(states, name, 'docs'),
        bytes: sumOf(states, name, 'bytes'),
        ...(await faultsAt(nodes, name, call)),
      }));
      return Promise.all(summaries);
    },
    ...wholeOperations(new StaticIndexNodes(nodes), { ...options, receiptKey }),
    ...pitOperations(nodes),
    ...aliasOperations(nodes),
    ...queryOperations(nodes),
    ...jobOperations(nodes),
  };
}
