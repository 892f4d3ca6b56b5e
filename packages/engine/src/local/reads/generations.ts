import {
  type GenerationDescription,
  LhsError,
  type MergeFailure,
  type SyncFailure,
} from '@lakehouse-search/contract';
import { readCommit } from '../../index/commits/commit.ts';
import {
  currentGeneration,
  type Generation,
  generationAt,
  generationBytes,
} from '../../open/index-folder.ts';
import { keptGenerations } from '../../open/kept-generations.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import type { KeptFault } from '../../registry/generations.ts';
import type { LocalIndexes } from '../local-indexes.ts';

/**
 * The live generation of an index and its kept ones, the one that was live last first; empty before
 * the first reindex. One that cannot be read is described without its contents. Throws
 * corrupt_index, io_error.
 */
export function describeGenerations(
  indexes: LocalIndexes,
  { folder, registered }: KnownIndex,
): readonly GenerationDescription[] {
  const { openDirectory, registry, clock } = indexes;
  const live = currentGeneration(folder);
  if (live === null) return [];
  const kept = keptGenerations(registry, registered.uuid, folder, clock.now());
  return [
    {
      ...{ generation: live.number, state: 'live', definition_version: registered.version },
      ...contentOf(openDirectory, live),
    },
    ...kept.map(({ number, untilMs, version, fault }): GenerationDescription => {
      return {
        ...{ generation: number, state: 'kept', definition_version: version },
        ...contentOf(openDirectory, generationAt(folder, number)),
        ...(untilMs === null ? {} : { until: new Date(untilMs).toISOString() }),
        ...(fault === null ? {} : { fallen_behind: shown(fault) }),
      };
    }),
  ];
}

function contentOf(openDirectory: LocalIndexes['openDirectory'], generation: Generation) {
  const bytes = generationBytes(generation);
  try {
    const commit = readCommit(openDirectory(generation.path));
    const segments = commit?.segments ?? [];
    const num_docs = segments.reduce((sum, { docs, deletedDocs }) => sum + docs - deletedDocs, 0);
    return { snapshot: commit?.checkpoint?.snapshot_id ?? null, num_docs, bytes };
  } catch (error) {
    if (error instanceof LhsError) return { snapshot: null, num_docs: 0, bytes };
    throw error;
  }
}

/** Why syncs of an index fail, if they do. */
export function syncFailure(
  { registry }: LocalIndexes,
  { registered }: KnownIndex,
): { readonly sync_failure?: SyncFailure } {
  const fault = registry.syncFaults.of(registered.uuid);
  return fault === null ? {} : { sync_failure: shown(fault) };
}

/** Why merges of an index fail, if they do. */
export function mergeFailure(
  { registry }: LocalIndexes,
  { registered }: KnownIndex,
): { readonly merge_failure?: MergeFailure } {
  const fault = registry.mergeFaults.of(registered.uuid);
  return fault === null ? {} : { merge_failure: shown(fault) };
}

const shown = ({ code, message, sinceMs }: KeptFault) => {
  return { code, message, since: new Date(sinceMs).toISOString() };
};
