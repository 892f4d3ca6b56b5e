import type { IndexStatus } from '@lakehouse-search/contract';
import { lastPublication } from '../../home/writing/publication.ts';
import { commitVersion, type KnownIndex } from '../../open/open-index.ts';
import { homePlace } from '../../schema/parse/resolve-definition.ts';
import type { LocalIndexes } from '../local-indexes.ts';

/**
 * Where an index is published, as this data folder knows it, without a request to the store. A
 * program that reads what another one publishes cannot sync it. Throws corrupt_index, io_error.
 */
export function publishedState(
  indexes: LocalIndexes,
  known: KnownIndex,
): Pick<IndexStatus, 'published' | 'synced_by'> {
  const { openDirectory, looks } = indexes;
  const { folder, definition, registered } = known;
  const isBuilt = commitVersion(folder) !== null;
  const last = isBuilt ? lastPublication({ folder, openDirectory }) : null;
  const home = looks === null ? homePlace(definition, registered.baseDir) : (last?.place ?? null);
  if (home === null) return {};
  const by = looks === null ? {} : { synced_by: 'publisher' as const };
  const there = last?.place === home ? last : null;
  const { newest = null, snapshot = null } = there ?? {};
  const place = `${home}/${there?.name ?? registered.name}`;
  const commit = newest?.number ?? null;
  const live = isBuilt ? commitInForce(indexes, known) : null;
  if (newest?.generation === live?.generation && newest?.commit === live?.number) {
    return { published: { place, commit, snapshot: live?.snapshot ?? null }, ...by };
  }
  return { published: { place, commit, snapshot, pending: true }, ...by };
}

function commitInForce(indexes: LocalIndexes, known: KnownIndex) {
  const { snapshot } = indexes.hold(known);
  snapshot.release();
  const { generation, commit, checkpoint } = snapshot;
  return { generation, number: commit.number, snapshot: checkpoint?.snapshot_id ?? null };
}
