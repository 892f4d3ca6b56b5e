import { noIndex, openIndexes } from '../base/served-index.ts';
import type { AdapterCall } from './adapter-call.ts';
import type { KnownPit } from './pit-id.ts';

/** Opens a point in time of each index. Throws index_not_found if there is none. */
export async function openPits(
  call: AdapterCall,
  names: readonly string[],
  keep_alive: string,
): Promise<readonly KnownPit[]> {
  const reads = call.reads();
  const indexes = await openIndexes(reads, names);
  if (indexes.length === 0) throw noIndex(call.path.index ?? '_all');
  const pits: KnownPit[] = [];
  for (const [at, { name: index }] of indexes.entries()) {
    if (at > 0) await call.begin('openPit', index);
    pits.push({ index, pit: (await reads.openPit({ index, keep_alive })).pit_id });
  }
  return pits;
}
