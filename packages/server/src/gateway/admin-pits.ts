import { type CallContext, LhsError } from '@lakehouse-search/contract';
import type { AdminMethod, AdminName, AdminNodes } from './admin-nodes.ts';
import { joinPits, noPit, splitPit } from './cluster-pits.ts';

type Loose = Readonly<Record<string, unknown>>;

/** The operations of points in time. */
export function pitOperations(nodes: AdminNodes): Partial<Record<AdminName, AdminMethod>> {
  return {
    openPit: (request, call) => openPit(nodes, request as Loose, call ?? {}),
    closePit: (request, call) => closePit(nodes, request as Pit, call ?? {}),
  };
}

interface Pit {
  readonly pit_id: string;
  readonly index?: string;
}

/** An id comes from the caller: only addresses that the gateway knows are called. */
async function closePit(nodes: AdminNodes, { pit_id, ...rest }: Pit, call: CallContext) {
  await nodes.resolve(rest.index, call);
  const pits = splitPit(pit_id);
  const known = nodes.routing.seen.filter(({ address }) => pits.has(address));
  if (known.length === 0) throw noPit(pit_id);
  const closed = await Promise.all(
    known.map(({ address }) =>
      nodes.at(address).closePit({ ...rest, pit_id: pits.get(address) }, call),
    ),
  );
  return { closed: (closed as { closed: boolean }[]).some((one) => one.closed) };
}

/** Pins the commits of all nodes; they have to show one source snapshot. */
async function openPit(nodes: AdminNodes, request: Loose, call: CallContext) {
  const owners = await nodes.owners(request.index as string | undefined, call);
  for (let attempt = 1; ; attempt++) {
    const opened = await Promise.all(
      owners.map(async ({ address }) => {
        const pit = (await nodes.at(address).openPit(request, call)) as Opened;
        return { address, pit };
      }),
    );
    const [{ pit: first }] = opened;
    const joined = joinPits(new Map(opened.map(({ address, pit }) => [address, pit.pit_id])));
    if (opened.every(({ pit }) => pit.snapshot === first.snapshot)) {
      return { ...first, pit_id: joined };
    }
    await Promise.all(
      opened.map(({ address, pit }) =>
        nodes.at(address).closePit({ index: request.index, pit_id: pit.pit_id }, call),
      ),
    );
    if (attempt === PIT_ATTEMPTS) {
      throw new LhsError('index_busy', 'the nodes of the index are at different snapshots', {
        hint: 'try again when all of them have caught up',
      });
    }
  }
}

const PIT_ATTEMPTS = 5;

interface Opened {
  readonly pit_id: string;
  readonly snapshot: string | null;
}
