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

/** Pins the commits of all nodes; they have to show one source snapshot. */
async function openPit(nodes: AdminNodes, request: OpenPitRequest, call: CallContext) {
  for (let attempt = 1; ; attempt++) {
    const opened = await openAll(nodes, request, call);
    const [{ pit: first }] = opened;
    const joined = joinPits(new Map(opened.map(({ address, pit }) => [address, pit.pit_id])));
    if (opened.every(({ pit }) => pit.snapshot === first.snapshot)) {
      return { ...first, pit_id: joined };
    }
    await closeAll(nodes, request, opened, call);
    if (attempt === PIT_ATTEMPTS) {
      throw atDifferentSnapshots();
    }
  }
}

/** Throws the first error of a node after the others have let go of what they pinned. */
async function openAll(nodes: AdminNodes, request: OpenPitRequest, call: CallContext) {
  const owners = await nodes.owners(request.index, call);
  const results = await Promise.allSettled(
    owners.map(async ({ address }): Promise<NodePit> => {
      return { address, pit: await nodes.read(address, 'openPit', request, call) };
    }),
  );
  const opened = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = results.find((one) => one.status === 'rejected');
  if (failed === undefined) return opened;
  await closeAll(nodes, request, opened, call);
  throw failed.reason;
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
  readonly pit: PointInTime;
}
