/** Opens published indexes by location: they get a data folder in the cache. */
import { hash } from 'node:crypto';
import type { CallContext } from '@lakehouse-search/contract';
import type { Clock } from '../../base/time/clock.ts';
import type { OpenDirectory } from '../../open/open-index.ts';
import { cacheLimit } from '../../storage/cache-folder.ts';
import { findPublished, notThere } from './find-published.ts';
import { openFolder } from './opened-folder.ts';
import { PublishedReader } from './published-reader.ts';

/** How published indexes are opened. */
interface PublishedOptions {
  readonly openDirectory: OpenDirectory;
  readonly clock: Clock;
  /** Of a place: the names of the indexes that are read. Default: all. */
  readonly only?: (() => readonly string[]) | undefined;
  /** It is a place, which may have no index yet: a warning says so. */
  readonly asPlace?: boolean | undefined;
}

/**
 * Opens a published index, or all indexes of a place, at their newest commits. An index of a place
 * that cannot be opened is left out with a warning, unless it is the only one. Throws
 * invalid_argument, index_not_found, permission_denied, corrupt_index, unsupported, disk_full, and
 * as `inStore`.
 */
export async function openPublished(
  location: string,
  options: PublishedOptions,
  call: CallContext = {},
): Promise<PublishedReader> {
  // a wrong setting is refused before anything is fetched
  cacheLimit();
  const { home, index } = await findPublished(location, options, call.signal);
  const name = index?.name ?? null;
  const opened = openFolder(`2.${hash('sha256', location).slice(0, 32)}`);
  const reader = new PublishedReader({ ...options, home, name, location, opened });
  try {
    const { faults } = await reader.look(call, index);
    const isEmpty = reader.isEmpty();
    if (isEmpty && faults.length > 0) throw faults[0];
    if (isEmpty && name !== null) throw await notThere(home, name);
    reader.warn(faults);
    return reader;
  } catch (error) {
    await reader.close();
    throw error;
  }
}
