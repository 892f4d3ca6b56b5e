/**
 * A diff over nodes: each node opens both sides of its shards, or builds them; then the coordinator
 * compares the two pages as a diff in one process does, from remote shards.
 */
import {
  type CallContext,
  type Coordinates,
  type DiffRequest,
  type DiffResponse,
  type DiffSide,
  LhsError,
} from '@lakehouse-search/contract';
import {
  checkCall,
  checkDiffRequest,
  checkSearchRequest,
} from '@lakehouse-search/contract/internal';
import { Deadline } from '../base/time/deadline.ts';
import { compareSides, type SearchedSide } from '../diff/compare-sides.ts';
import type { RowState } from '../diff/row-states.ts';
import { refuseTenants } from '../local/caller.ts';
import type { SideAnswer, SideRowsAnswer } from '../local/node/held-sides.ts';
import { timed } from '../local/writes/write-index.ts';
import { UNKNOWN_LAG } from '../search/context.ts';
import { askNode, openRemoteCommit, type RemoteIndex, remoteContext } from './remote-commit.ts';

/** A node of a diff. */
export interface DiffNode {
  /** Sends a read of the node that names no commit. */
  send(operation: string, request: Uint8Array): Promise<Uint8Array>;
  /** The name of a side on this node. Throws not_found if the node cannot have it. */
  named(side: string): string;
}

/** The nodes of an index, and its shards when these sides are open on its nodes. */
export interface DiffNodes {
  readonly index: string;
  readonly nodes: readonly DiffNode[];
  /** `sides`: the name of the side on each node, in their order. */
  opened(sides: readonly string[], call: CallContext): Pick<RemoteIndex, 'shards' | 'ask'>;
}

/** Finds the nodes of an index; throws what refuses the call. */
export type OpenDiff = (index: string | undefined, call: CallContext) => Promise<DiffNodes>;

const PAGE = 10;

/** Compares the hits of a search at two moments. Throws as a diff in one process, unreachable. */
export async function compareRemotely(
  value: DiffRequest,
  context: CallContext | undefined,
  open: OpenDiff,
): Promise<DiffResponse> {
  const call = checkCall(context);
  refuseTenants(call, 'diffHits');
  const { from, to = 'now', limit = PAGE, plan = false, index, ...match } = checkDiffRequest(value);
  const search = checkSearchRequest({ ...match, limit, fields: [] });
  const at = await open(index, call);
  return timed(async () => {
    const sides: NodeSides[] = [];
    try {
      for (const name of [from, to]) sides.push(await openSides(at, name, plan));
      const [a, b] = sides;
      const notes = [...new Set(sides.flatMap((side) => side.notes))];
      const answer = { index: at.index, notes };
      if (plan) return { ...answer, from: a.side, to: b.side, same: 0, hits: [] };
      const compared = await compareSides({
        ...{ search, from: await searched(at, a, call), to: await searched(at, b, call) },
        rows: (keys) => rowsOf(at, a, b, keys),
      });
      const { totals, same, hits } = compared;
      const found = {
        from: { ...a.side, total: totals.from },
        to: { ...b.side, total: totals.to },
      };
      return { ...answer, ...found, same, hits };
    } finally {
      await Promise.all(sides.map((side) => closeSides(at, side.ids)));
    }
  });
}

/** A side on all nodes. */
interface NodeSides {
  /** By node; null: it is only planned. */
  readonly ids: readonly (string | null)[];
  readonly side: DiffSide;
  readonly notes: readonly string[];
}

async function openSides({ index, nodes }: DiffNodes, name: string, plan: boolean) {
  const opening = nodes.map(async (node): Promise<SideAnswer> => {
    return askNode(node.send, 'open_side', { name: node.named(name), plan });
  });
  const results = await Promise.allSettled(opening);
  const answers = results.map((one) => (one.status === 'fulfilled' ? one.value : null));
  const ids = answers.map((answer) => answer?.id ?? null);
  const refuse = async (error: unknown) => {
    await closeSides({ nodes }, ids);
    throw error;
  };
  const failed = results.find((one) => one.status === 'rejected');
  if (failed !== undefined) await refuse(failed.reason);
  const whole = answers as readonly SideAnswer[];
  const [first] = whole;
  if (whole.some(({ side }) => side.snapshot !== first.side.snapshot)) {
    await refuse(
      new LhsError('index_busy', `the nodes of "${index}" have "${name}" at different snapshots`, {
        hint: 'try again when all of them have caught up, or name the snapshot by its id',
      }),
    );
  }
  const side = mergeSides(whole.map((answer) => answer.side));
  return { ids, side, notes: whole.flatMap(({ notes }) => notes) };
}

async function closeSides({ nodes }: Pick<DiffNodes, 'nodes'>, ids: readonly (string | null)[]) {
  const closing = nodes.map(({ send }, i) => {
    const id = ids[i];
    return id === null ? undefined : askNode(send, 'close_side', { id });
  });
  await Promise.allSettled(closing);
}

/** A built side of one node makes the whole side a built one; each node reads the whole table. */
function mergeSides(sides: readonly DiffSide[]): DiffSide {
  const built = sides.filter(({ kind }) => kind === 'built');
  const [first] = built.length > 0 ? built : sides;
  const sum = (name: 'rows' | 'bytes') => sides.reduce((all, side) => all + (side[name] ?? 0), 0);
  const most = (name: 'texts' | 'build_ms' | 'rows' | 'definition_version') =>
    Math.max(...sides.map((side) => side[name] ?? 0));
  const isPlanned = built.some(({ build_ms }) => build_ms === undefined);
  const same = sides.every(({ generation }) => generation === first.generation);
  return {
    kind: first.kind,
    snapshot: first.snapshot,
    ...(same && first.generation !== undefined ? { generation: first.generation } : {}),
    definition_version: most('definition_version'),
    rows: isPlanned ? most('rows') : sum('rows'),
    ...(built.length === 0 ? {} : { bytes: sum('bytes'), texts: most('texts') }),
    ...(built.length === 0 || isPlanned ? {} : { build_ms: most('build_ms') }),
  };
}

async function searched(
  at: DiffNodes,
  { ids, side }: NodeSides,
  call: CallContext,
): Promise<SearchedSide> {
  const { signal } = call;
  const own = signal === undefined ? {} : { signal };
  const { shards, ask } = at.opened(ids as readonly string[], own);
  const commit = await openRemoteCommit(ask);
  return {
    context: () => ({
      ...remoteContext({ commit, shards, ask, askShared: ask, freshnessMs: 0 }, own),
      deadline: Deadline.of(own),
      lag: async () => UNKNOWN_LAG,
    }),
    definitionVersion: side.definition_version,
  };
}

/** By the table, as one node reads it; else by the documents of all nodes. */
async function rowsOf(
  { nodes }: DiffNodes,
  from: NodeSides,
  to: NodeSides,
  keys: readonly Coordinates[],
): Promise<readonly RowState[]> {
  const ask = ({ send }: DiffNode, i: number): Promise<SideRowsAnswer> =>
    askNode(send, 'side_rows', { from: from.ids[i], to: to.ids[i], keys });
  const [first, ...others] = nodes;
  const { states, isOfTable } = await ask(first, 0);
  if (isOfTable) return states;
  const all = await Promise.all(others.map((node, i) => ask(node, i + 1)));
  return states.map((own, key) => {
    const found = [own, ...all.map((answer) => answer.states[key])];
    return found.find(({ state }) => state !== 'same') ?? own;
  });
}
