import { LhsError } from '@lakehouse-search/contract';
import type { RoutedIndex } from '../cluster/routing.ts';

/** The id of a point in time over several nodes: the id of each node's own one by its address. */
export function joinPits(pits: ReadonlyMap<string, string>): string {
  return Buffer.from(JSON.stringify(Object.fromEntries(pits))).toString('base64url');
}

/** The ids of a point in time by address of the node. Throws not_found. */
export function splitPit(pitId: string): ReadonlyMap<string, string> {
  try {
    const read: unknown = JSON.parse(Buffer.from(pitId, 'base64url').toString());
    const entries = Object.entries(read as Record<string, unknown>);
    if (entries.length > 0 && entries.every(([, id]) => typeof id === 'string')) {
      return new Map(entries as [string, string][]);
    }
  } catch {
    // Another text: it names nothing here.
  }
  throw noPit(pitId);
}

/** The error for an id that names no point in time of the cluster. */
export function noPit(pitId: string): LhsError {
  const shown = pitId.length > 60 ? `${pitId.slice(0, 60)}…` : pitId;
  return new LhsError('not_found', `there is no point in time "${shown}"`, {
    hint: 'it was closed, has expired, or is of another index or caller: open a new one',
  });
}

/** The ids of a point in time by address, of nodes that have the index. Throws not_found. */
export function pitReplicas(routed: RoutedIndex, pitId: string): ReadonlyMap<string, string> {
  const pits = splitPit(pitId);
  const own = new Set(routed.shards.flatMap(({ replicas }) => replicas.map((r) => r.address)));
  return new Map([...pits].filter(([address]) => own.has(address)));
}
