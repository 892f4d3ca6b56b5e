import type {
  CallContext,
  ClosePitRequest,
  OpenPitRequest,
  PointInTime,
} from '@lakehouse-search/contract';
import type { Methods } from '@lakehouse-search/contract/internal';
import { atDifferentSnapshots } from '../../control-plane/operations/index-nodes.ts';
import { closingCall } from '../closing-call.ts';
import { joinPits, noPit, splitPit } from '../cluster-pits.ts';
import type { AdminNodes } from './admin-nodes.ts';

/** The operations of points in time. */
export function pitOperations(nodes: AdminNodes): Methods<'openPit' | 'closePit'> {
  return {
    openPit: (request, call) => openPit(nodes, request, call ?? {}),
    closePit: (request, call) => closePit(nodes, request, call ?? {}),
  };
}

/** An id comes from the caller: only addresses that the gateway knows are called. */
async function closePit(
  nodes: AdminNodes,
  { pit_id, ...rest }: ClosePitRequest,
  call: CallContext,
) {
  await nodes.resolve(rest.index, call);
  const pits = splitPit(pit_id);
  const known = nodes.routing.seen.filter(({ address }) => pits.has(address));
  if (known.length === 0) throw noPit(pit_id);
  const closed = await Promise.all(
    known.map(({ address }) =>
      nodes.at(address).closePit({ ...rest, pit_id: pits.get(address)! }, call),
    ),
  );
  return { closed: closed.some((one) => one.closed) };
}

/** Pins commits of all shards that show one source snapshot, on all nodes that have them. */
async function openPit(nodes: AdminNodes, request: OpenPitRequest, call: CallContext) {
  for (let attempt = 1; ; attempt++) {
    const { opened, fault } = await openAll(nodes, request, call);
    const whole = atOneSnapshot(opened);
    const others = opened.filter((one) => !whole.includes(one));
    await closeAll(nodes, request, others, call);
    if (whole.length > 0) {
      const joined = joinPits(new Map(whole.map(({ address, pit }) => [address, pit.pit_id])));
      return { ...whole[0].pit, pit_id: joined };
    }
    if (fault !== undefined) throw fault.reason;
    if (attempt === PIT_ATTEMPTS) throw atDifferentSnapshots();
  }
}

/** The nodes of one snapshot that have all shards, most of them; none: there is no such snapshot. */
function atOneSnapshot(opened: readonly NodePit[]): readonly NodePit[] {
  const groups = [...Map.groupBy(opened, ({ pit }) => pit.snapshot).values()];
  const whole = groups.filter((group) => {
    return new Set(group.flatMap(({ ordinals }) => ordinals)).size === group[0].shards;
  });
  return whole.toSorted((a, b) => b.length - a.length)[0] ?? [];
}

async function openAll(nodes: AdminNodes, request: OpenPitRequest, call: CallContext) {
  const owners = await nodes.owners(request.index, call);
  const results = await Promise.allSettled(
    owners.map(async ({ address, ordinals, shards }): Promise<NodePit> => {
      const pit = await nodes.read(address, 'openPit', request, call);
      return { address, ordinals, shards, pit };
    }),
  );
  const opened = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return { opened, fault: results.find((one) => one.status === 'rejected') };
}

/** A node that cannot close its point in time forgets it when it expires. */
async function closeAll(
  nodes: AdminNodes,
  { index }: OpenPitRequest,
  opened: readonly NodePit[],
  call: CallContext,
) {
  const own = closingCall(call);
  await Promise.allSettled(
    opened.map(async ({ address, pit: { pit_id } }) =>
      nodes.at(address).closePit({ index, pit_id }, own),
    ),
  );
}

const PIT_ATTEMPTS = 5;

interface NodePit {
  readonly address: string;
  readonly ordinals: readonly number[];
  /** Number of shards of the index. */
  readonly shards: number;
  readonly pit: PointInTime;
}
