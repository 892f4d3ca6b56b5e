/**
 * Operations that are no reads of shards, over a fixed list of nodes: each goes to the nodes that
 * hold the index, and the answers are merged. An operation that is not defined over several nodes
 * is refused if the index has several.
 */
import { REQUEST_CHECKS } from '@lakehouse-search/client';
import { type CallContext, checkCall, LhsError } from '@lakehouse-search/contract';
import { REMOTE_READS } from '@lakehouse-search/engine';
import { mergeAnswers, type NodeAnswer } from '../cluster/merge-answers.ts';
import type { NodeClient } from '../cluster/node-client.ts';
import { overNodes } from '../cluster/over-nodes.ts';
import { partOf } from '../cluster/with-only.ts';
import { jobOperations } from './admin-jobs.ts';
import { aliasOperations, queryOperations } from './admin-names.ts';
import {
  type AdminMethod,
  type AdminName,
  AdminNodes,
  type AdminRouting,
  overSeveral,
} from './admin-nodes.ts';
import { pitOperations } from './admin-pits.ts';
import { streamsOf } from './admin-streams.ts';
import type { AdminBackend } from './cluster-backend.ts';
import { placeShards } from './place-shards.ts';

type Loose = Readonly<Record<string, unknown>>;

/** Every node that holds shards of the index takes part. */
const ALL: ReadonlySet<AdminName> = new Set<AdminName>([
  'dropIndex',
  'reindex',
  'sync',
  'applyBatch',
  'getCheckpoint',
  'status',
  'describeIndex',
  'verify',
  'compact',
  'upgrade',
  'rollbackIndex',
  'windowStatus',
  'moveWindows',
  'reindexWindow',
]);
/** One node of the index answers, whatever shards it holds. */
const ONE: ReadonlySet<AdminName> = new Set<AdminName>(['analyze', 'parseQuery', 'printQuery']);
/** One node that holds shards of the index answers for all of them. */
const OWNER: ReadonlySet<AdminName> = new Set<AdminName>(['rehearseAlter']);
/** Any node answers: the request names no index of the cluster. */
const ANY: ReadonlySet<AdminName> = new Set<AdminName>([
  'describeSource',
  'listTables',
  'initDefinition',
  'validateDefinition',
  'erasureKey',
  'listBackups',
  'pruneBackups',
]);

/** The operations over a fixed list of nodes. */
export function staticAdmin(
  routing: AdminRouting,
  node: (address: string) => NodeClient,
): AdminBackend {
  const nodes = new AdminNodes(routing, node);
  const special = specialOperations(nodes);
  const streams = streamsOf(nodes) as Partial<Record<AdminName, AdminMethod>>;
  const reads = new Set<string>([...REMOTE_READS, 'diffHits']);
  const names = (Object.keys(REQUEST_CHECKS) as AdminName[]).filter((name) => !reads.has(name));
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
    REQUEST_CHECKS[name](request);
    return run(request ?? {}, call);
  };
}

function checkedStream(name: AdminName, run: AdminMethod): AdminMethod {
  return async function* (request, context) {
    const call = checkCall(context);
    REQUEST_CHECKS[name](request);
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
  const anywhere = ANY.has(name) || (ONE.has(name) && (index === undefined || index === ''));
  if (anywhere) return nodes.at(nodes.up()[0])[name](request, call);
  const owners = await nodes.owners(index, call);
  if (owners.length === 0) throw notBuilt(index);
  const isOfOne = ONE.has(name) || OWNER.has(name);
  const several = ALL.has(name) || isOfOne;
  if (owners.length > 1 && !several) throw overSeveral(name, owners.length);
  const asked = isOfOne ? owners.slice(0, 1) : owners;
  try {
    const parts = asked.map(({ address, ordinals }) => {
      return { ordinals, run: async () => nodes.at(address)[name](request, call) };
    });
    return await overNodes(name, parts);
  } finally {
    await nodes.routing.refresh();
  }
}

function notBuilt(index: string | undefined): LhsError {
  const next = index === undefined ? {} : { next: [{ step: 'reindex' as const, index }] };
  return new LhsError('index_not_built', `no node has built "${index}"`, next);
}

interface Named {
  readonly name: string;
}

function specialOperations(nodes: AdminNodes): Partial<Record<AdminName, AdminMethod>> {
  const call = (context: CallContext | undefined): CallContext => context ?? {};
  return {
    createIndex: (request, context) => createIndex(nodes, request as Loose, call(context)),
    alterIndex: (request, context) => alterIndex(nodes, request as Loose, call(context)),
    listIndexes: async (request, context) => {
      const all = await nodes.lists<Named>('listIndexes', request, call(context));
      const byName = Map.groupBy(all, ({ name }) => name);
      return [...byName.values()].map((parts) =>
        mergeAnswers(parts.map((part) => ({ answer: part as unknown as Loose, ordinals: [] }))),
      );
    },
    restore: async (request, context) => {
      const { as } = request as { readonly as?: string };
      const [address] = nodes.up();
      const taken = as !== undefined && nodes.routing.names().includes(as);
      const target = taken ? (await nodes.owners(as, {}))[0].address : address;
      const answer = await nodes.at(target).restore(request, context);
      await nodes.routing.refresh();
      return answer;
    },
    verifyReceipt: (request, context) => verifyReceipt(nodes, request, context),
    ...pitOperations(nodes),
    ...aliasOperations(nodes),
    ...queryOperations(nodes),
    ...jobOperations(nodes),
  };
}

async function createIndex(nodes: AdminNodes, request: Loose, call: CallContext) {
  await nodes.routing.refresh();
  nodes.up();
  const parts = placeShards(request.definition as string, nodes.routing.seen);
  try {
    const answers = await Promise.all(
      parts.map(async ({ address, ordinals, definition }): Promise<NodeAnswer> => {
        const answer = await nodes.at(address).createIndex({ ...request, definition }, call);
        return { answer: answer as Loose, ordinals };
      }),
    );
    return mergeAnswers(answers);
  } finally {
    await nodes.routing.refresh();
  }
}

async function alterIndex(nodes: AdminNodes, request: Loose, call: CallContext) {
  const owners = await nodes.owners(request.index as string | undefined, call);
  const text = request.definition_yaml as string;
  const answers: NodeAnswer[] = [];
  for (const { address, ordinals, shards } of owners) {
    const definition_yaml = partOf(text, ordinals, shards);
    const answer = await nodes.at(address).alterIndex({ ...request, definition_yaml }, call);
    answers.push({ answer: answer as Loose, ordinals });
  }
  await nodes.routing.refresh();
  return mergeAnswers(answers);
}

/** Each node signs with a key of its own: a receipt is valid if one of them has signed it. */
async function verifyReceipt(nodes: AdminNodes, request: unknown, call: CallContext | undefined) {
  let answer: unknown;
  for (const address of nodes.up()) {
    answer = await nodes.at(address).verifyReceipt(request, call);
    if ((answer as { readonly valid: boolean }).valid) return answer;
  }
  return answer;
}
