/** What an index takes: bytes by kind of file, and its objects in a store. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CallContext, type IndexRequest, LhsError } from '@lakehouse-search/contract';
import { checkIndexRequest } from '@lakehouse-search/contract/internal';
import { familyPrefix } from '../../home/chain.ts';
import { lastPublication } from '../../home/writing/publication.ts';
import { commitVersion, type KnownIndex } from '../../open/open-index.ts';
import type { ComponentKind, SegmentEntry } from '../../segment/entry.ts';
import { inStore } from '../../source/store-errors.ts';
import { coldReads } from '../../storage/cold-cache.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import type { IndexUsage, ReadUsage } from './findings.ts';

const KINDS: Readonly<Record<ComponentKind, keyof IndexUsage['bytes']>> = {
  ...{ text: 'postings', keyword: 'postings', numeric: 'columns', ordinal: 'columns' },
  ...{ stored: 'stored', vector: 'vectors', graph: 'vectors', core: 'keys', keys: 'keys' },
  ...{ hashes: 'keys', locators: 'keys', live: 'keys', blocks: 'keys' },
  buckets: 'keys',
};
const READS_FILE = 'reads.json';

/**
 * Bytes of an index by kind of file, and of its objects in the store, if that can be read:
 * `diagnoseLocal` says why not. Throws index_not_found, corrupt_index, io_error, interrupted.
 */
export async function usageLocal(
  indexes: LocalIndexes,
  request: IndexRequest,
  call: CallContext,
): Promise<IndexUsage> {
  const known = indexes.resolve(checkIndexRequest(request).index);
  const objects = await objectsOf(indexes, known, call);
  const reads = indexes.looks === null ? null : lastReads(indexes.dataDir);
  return {
    bytes: bytesByKind(indexes, known),
    ...(objects === null ? {} : { objects }),
    ...(reads === null ? {} : { reads }),
  };
}

function bytesByKind(indexes: LocalIndexes, known: KnownIndex): IndexUsage['bytes'] {
  const bytes = { postings: 0, columns: 0, stored: 0, vectors: 0, keys: 0 };
  if (commitVersion(known.folder) === null) return bytes;
  const { snapshot } = indexes.hold(known);
  snapshot.release();
  const segments: readonly SegmentEntry[] = snapshot.commit.segments;
  for (const { kind, length } of segments.flatMap(({ components }) => components)) {
    bytes[KINDS[kind]] += length;
  }
  return bytes;
}

/** The objects of an index where it was published last; null: nowhere, or unknown. */
async function objectsOf(
  { openDirectory }: LocalIndexes,
  { folder }: KnownIndex,
  { signal }: CallContext,
): Promise<IndexUsage['objects'] | null> {
  const last = commitVersion(folder) === null ? null : lastPublication({ folder, openDirectory });
  if (last === null) return null;
  const { openHome } = await import('../../home/repository.ts');
  return inStore(async () => {
    const { store } = await openHome(last.place);
    const found = await Array.fromAsync(store.list(familyPrefix(last.family), { signal }));
    return { count: found.length, bytes: found.reduce((sum, { size }) => sum + size, 0) };
  }).catch((error: unknown) => {
    if (!(error instanceof LhsError) || error.code === 'interrupted') throw error;
    return null;
  });
}

/** Notes what the reads of this process have fetched, in the folder of a reader if it can. */
export function noteReads(folder: string, threads?: readonly Float64Array[]): void {
  const reads = coldReads(threads);
  if (reads.requests === 0) return;
  try {
    writeFileSync(join(folder, READS_FILE), JSON.stringify(reads), { mode: 0o600 });
  } catch {
    // the cache is full or gone: the figures are for doctor alone
  }
}

/** What the reads of the last process have fetched; null: nothing is known. */
function lastReads(folder: string): ReadUsage | null {
  try {
    return JSON.parse(readFileSync(join(folder, READS_FILE), 'utf8')) as ReadUsage;
  } catch {
    return null;
  }
}
