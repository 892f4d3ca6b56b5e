/**
 * Operations that are no reads of shards, over a fixed list of nodes: each goes to the nodes that
 * hold the index, and the answers are merged. An operation that is not defined over several nodes
 * is refused if the index has several.
 */
import {
  type BackupRequest,
  type BackupStatusRequest,
  type CallContext,
  checkCall,
  type ErasureCheckRequest,
  type ErasureRunRequest,
  type IndexStatus,
  type IndexSummary,
  type ListBackupsRequest,
  type ListRequest,
  OPERATION_NAMES,
  OPERATIONS,
  type PruneBackupsRequest,
  type ResponseOf,
  type RestoreRequest,
  type VerifyReceiptRequest,
} from '@lakehouse-search/contract';
import { isMerged } from '../cluster/merge-answers.ts';
import { mergeSummary } from '../cluster/merge-indexes.ts';
import type { NodeClient } from '../cluster/node-client.ts';
import type { NodeWatch } from '../cluster/node-watch.ts';
import { overNodes } from '../cluster/over-nodes.ts';
import { sumOf } from '../cluster/sum-of.ts';
import { type BackupTrust, ClusterBackupApi } from '../control-plane/cluster-backup-api.ts';
import { ClusterErasureApi } from '../control-plane/cluster-erasure-api.ts';
import type { ErasedRecords } from '../control-plane/erased-records.ts';
import { requireAllShards } from '../control-plane/index-nodes.ts';
import { makeReceiptKey } from '../store/receipt-key.ts';
import { jobOperations } from './admin-jobs.ts';
import { aliasOperations, queryOperations } from './admin-names.ts';
import {
  type AdminMethod,
  type AdminName,
  AdminNodes,
  type AdminRouting,
  isAdmin,
  overSeveral,
} from './admin-nodes.ts';
import { pitOperations } from './admin-pits.ts';
import { streamsOf } from './admin-streams.ts';
import type { AdminBackend } from './cluster-backend.ts';
import { alterOver, createOver, ownersToBuild, renameOver } from './static-definitions.ts';
import { StaticIndexNodes } from './static-index-nodes.ts';
import { statusOver } from './status-over.ts';

type Loose = Readonly<Record<string, unknown>>;

/** What a gateway over a fixed list of nodes has of its own. */
export interface StaticAdminOptions {
  /** Ends reads of nodes that are stopped. Default: after 300 ms. */
  readonly watch?: NodeWatch;
  /** Where backups are, for all nodes as well. */
  readonly backupTarget?: string | undefined;
  /** Its saved queries, as far as erasures search them. */
  readonly records?: ErasedRecords;
  /** The private key of receipts. Default: one of this process. */
  readonly receiptKey?: () => Promise<string>;
  /** Judges definitions of backups that the key has not signed. Default: all are taken. */
  readonly admit?: BackupTrust['admit'];
}

/** The operations over a fixed list of nodes. */
export function staticAdmin(
  routing: AdminRouting,
  node: (address: string) => NodeClient,
  options: StaticAdminOptions = {},
): AdminBackend {
  const nodes = new AdminNodes(routing, node, options.watch);
  const special = specialOperations(nodes, options);
  const streams = streamsOf(nodes) as Partial<Record<AdminName, AdminMethod>>;
  const names = OPERATION_NAMES.filter(isAdmin);
  const methods = names.map((name): [string, AdminMethod] => {
    const own = (special as Partial<Record<AdminName, AdminMethod>>)[name];
    if (own !== undefined) return [name, checked(name, own)];
    const stream = streams[name];
    if (stream !== undefined) return [name, checkedStream(name, stream)];
    return [name, checked(name, (request, call) => forward(nodes, name, request as Loose, call))];
  });
  return { ...Object.fromEntries(methods), close: async () => {} } as AdminBackend;
}

/** A request is checked before anything of it is looked at. */
function checked(name: AdminName, run: AdminMethod): AdminMethod {
  return async (request, context) => {
    const call = checkCall(context);
    OPERATIONS[name].check(request);
    return run(request ?? {}, call);
  };
}

function checkedStream(name: AdminName, run: AdminMethod): AdminMethod {
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
  request: Loose,
  call: CallContext = {},
): Promise<unknown> {
  const { index } = request as { readonly index?: string };
  const { nodes: rule } = OPERATIONS[name];
  const anywhere = rule === 'any' || (rule === 'one' && !index);
  if (anywhere) return nodes.at(nodes.up()[0])[name](request, call);
  const isBuild = name === 'reindex';
  const owners = await (isBuild ? ownersToBuild(nodes, index, call) : nodes.owners(index, call));
  if (rule === 'whole') requireAllShards(owners[0].name, owners[0].shards, owners);
  if (name === 'status') return statusOver(nodes, owners, request, call);
  if (owners.length > 1 && !isMerged(name) && rule !== 'one' && rule !== 'owner')
    throw overSeveral(name, owners.length);
  const at = (address: string) =>
    rule === 'answering'
      ? nodes.read(address, name, request, call)
      : nodes.at(address)[name](request, call);
  const run = async () => {
    if (!isMerged(name)) return at(owners[0].address);
    const parts = owners.map(({ address, ordinals }) => {
      return { ordinals, run: async () => at(address) as Promise<ResponseOf<typeof name>> };
    });
    return overNodes(name, parts);
  };
  return rule === 'answering' ? run() : run().finally(() => nodes.routing.refresh());
}

/** Backups and erasures: every node of the index takes part, with one manifest, or one receipt. */
function wholeOperations(
  admin: AdminNodes,
  { backupTarget, records, receiptKey = ownKey(), admit = () => {} }: StaticAdminOptions,
): Partial<Record<AdminName, AdminMethod>> {
  const nodes = new StaticIndexNodes(admin);
  const backups = new ClusterBackupApi(nodes, backupTarget, { key: receiptKey, admit });
  const erasures = new ClusterErasureApi({ nodes, backups, records, receiptKey });
  return {
    backup: (request, call) => backups.backup(request as BackupRequest, call),
    backupStatus: (request, call) => backups.backupStatus(request as BackupStatusRequest, call),
    listBackups: (request, call) => backups.listBackups(request as ListBackupsRequest, call),
    pruneBackups: (request, call) => backups.pruneBackups(request as PruneBackupsRequest, call),
    restore: (request, call) => backups.restore(request as RestoreRequest, call),
    checkErasure: (request, call) => erasures.checkErasure(request as ErasureCheckRequest, call),
    runErasure: (request, call) => erasures.runErasure(request as ErasureRunRequest, call),
    erasureKey: (request, call) => erasures.erasureKey(request as ListRequest, call),
    verifyReceipt: (request, call) => erasures.verifyReceipt(request as VerifyReceiptRequest, call),
  };
}

/** A key of this process alone. */
function ownKey(): () => Promise<string> {
  let key: string | undefined;
  return async () => (key ??= makeReceiptKey());
}

/** The shards of an index that no node has which answers. */
function missingAt({ routing }: AdminNodes, name: string) {
  const parts = routing.seen.flatMap(({ up, state }) =>
    (state?.indexes ?? []).flatMap((own) => (own.index === name ? [{ ...own, up }] : [])),
  );
  const held = new Set(parts.flatMap(({ up, ordinals }) => (up ? ordinals : [])));
  const total = Math.max(0, ...parts.map(({ shards }) => shards));
  const missing = [...Array(total).keys()].filter((shard) => !held.has(shard));
  return missing.length === 0 ? {} : { missing_shards: missing };
}

function specialOperations(
  nodes: AdminNodes,
  options: StaticAdminOptions,
): Partial<Record<AdminName, AdminMethod>> {
  const call = (context: CallContext | undefined): CallContext => context ?? {};
  return {
    createIndex: (request, context) => createOver(nodes, request as Loose, call(context)),
    alterIndex: (request, context) => alterOver(nodes, request as Loose, call(context)),
    renameIndex: (request, context) => renameOver(nodes, request as Loose, call(context)),
    status: async (request, context) => {
      const own = request as Loose;
      const status = (await forward(nodes, 'status', own, call(context))) as IndexStatus;
      return { ...status, ...missingAt(nodes, status.index) };
    },
    listIndexes: async (request, context) => {
      const all = await nodes.lists<IndexSummary>('listIndexes', request, call(context));
      const up = nodes.routing.seen.filter((seen) => seen.up);
      const states = up.flatMap(({ state }) => state ?? []);
      return [...Map.groupBy(all, ({ name }) => name)].map(([name, parts]) => ({
        ...mergeSummary(parts),
        num_docs: sumOf(states, name, 'docs'),
        bytes: sumOf(states, name, 'bytes'),
        ...missingAt(nodes, name),
      }));
    },
    ...wholeOperations(nodes, options),
    ...pitOperations(nodes),
    ...aliasOperations(nodes),
    ...queryOperations(nodes),
    ...jobOperations(nodes),
  };
}
