import { randomUUID } from 'node:crypto';
import type { CallContext, CloneIndexRequest, CloneResponse } from '@lakehouse-search/contract';
import { checkCloneIndexRequest, requireListed } from '@lakehouse-search/contract/internal';
import { type ClonedIndex, cloneIndex } from '../../home/clone-index.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import { homePlace } from '../../schema/parse/resolve-definition.ts';
import { followedSnapshot } from '../../source/source-table.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { indexToBackUp } from './index-to-back-up.ts';
import { atHome } from './publish.ts';
import { timed, withLock } from './write-index.ts';

/**
 * Makes a second index from the newest commit of an index; in its store, if it has one, as a branch
 * that shares its objects. Throws not_found for a branch or tag that its table has not, and as
 * `cloneIndex` and `HomeIndex.branch`.
 */
export async function cloneLocal(
  indexes: LocalIndexes,
  request: CloneIndexRequest,
  call: CallContext,
): Promise<CloneResponse> {
  const { index, name, ref } = checkCloneIndexRequest(request);
  const known = accessible(indexes, index, call);
  requireListed(call, name);
  indexes.registry.requireFree(name);
  indexes.sweep();
  if (ref !== undefined) followedSnapshot(await indexes.tables.newest(known, call.signal), ref);
  return timed(async () => {
    const { dataDir, registry, openDirectory } = indexes;
    const which = { name, ...(ref === undefined ? {} : { ref }) };
    const options = { ...call, dataDir, registry, openDirectory, ...which };
    const uuid = randomUUID();
    const clone = () => cloneIndex(indexToBackUp(indexes, known), { ...options, uuid });
    try {
      const made = await (homePlace(known.definition, known.registered.baseDir) === null
        ? clone()
        : branch(indexes, known, { name, uuid, signal: call.signal }, clone));
      return {
        ...{ index: name, cloned_from: known.registered.name, index_generation: made.generation },
        snapshot: made.commit.checkpoint?.snapshot_id ?? null,
        ...{ num_docs: made.docs, bytes: made.bytes, bytes_copied: made.copied },
      };
    } catch (error) {
      throw indexes.explained(known.registered, error);
    }
  });
}

/** Makes a clone under the lock, and publishes it as a branch. */
function branch(
  indexes: LocalIndexes,
  { registered }: KnownIndex,
  {
    name,
    uuid,
    signal,
  }: {
    readonly name: string;
    readonly uuid: string;
    readonly signal: AbortSignal | undefined;
  },
  clone: () => Promise<ClonedIndex>,
): Promise<ClonedIndex> {
  return withLock(indexes, registered, { what: 'clone', signal }, async ({ home }) => {
    await home?.settle();
    const pin = await home?.pinBranch(name, uuid);
    const made = await clone();
    const into = atHome(indexes, indexes.known(name));
    if (pin !== undefined) await home?.branch(into, pin, made.commit.definition_version);
    return made;
  });
}
