import { noIndex, openIndexes } from '../base/served-index.ts';
import type { AdapterCall } from './adapter-call.ts';
import type { KnownPit } from './pit-id.ts';

/**
 * Opens a point in time of each index, or none. Throws index_not_found if there is no index, and
 * what the first that fails throws.
 */
export async function openPits(
  call: AdapterCall,
  names: readonly string[],
  keep_alive: string,
): Promise<readonly KnownPit[]> {
  const reads = call.reads();
  const indexes = await openIndexes(reads, names);
  if (indexes.length === 0) throw noIndex(call.path.index ?? '_all');
  const pits: KnownPit[] = [];
  try {
    for (const [at, { name: index }] of indexes.entries()) {
      const end = at > 0 ? await call.begin('openPit', index) : undefined;
      pits.push({ index, pit: (await reads.openPit({ index, keep_alive })).pit_id });
      end?.();
    }
  } catch (error) {
    await closeOpened(call, pits);
    throw error;
  }
  return pits;
}

/** Closes points in time that no response has named. */
export async function closeOpened(call: AdapterCall, pits: readonly KnownPit[]): Promise<void> {
  const reads = call.reads();
  await Promise.allSettled(
    pits.map(async ({ index, pit }) => reads.closePit({ index, pit_id: pit })),
  );
}
