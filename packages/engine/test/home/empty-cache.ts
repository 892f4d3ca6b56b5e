import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../src/storage/cache-folder.ts';
import { evictColdBytes } from '../../src/storage/cold-cache.ts';

/** Removes all blocks from memory and disk. */
export function emptyCache(): void {
  evictColdBytes(0);
  for (const name of readdirSync(cacheFolder())) {
    if (name !== 'opened') rmSync(join(cacheFolder(), name));
  }
}
