import type { CallContext, CloneIndexRequest, CloneResponse } from '@lakehouse-search/contract';
import { checkCloneIndexRequest, requireListed } from '@lakehouse-search/contract/internal';
import { cloneIndex } from '../../home/clone-index.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { indexToBackUp } from './index-to-back-up.ts';
import { timed } from './write-index.ts';

/** Makes a second index from the newest commit of an index. Throws as `cloneIndex`. */
export async function cloneLocal(
  indexes: LocalIndexes,
  request: CloneIndexRequest,
  call: CallContext,
): Promise<CloneResponse> {
  const { index, name } = checkCloneIndexRequest(request);
  const known = accessible(indexes, index, call);
  requireListed(call, name);
  indexes.sweep();
  return timed(async () => {
    const { dataDir, registry, openDirectory } = indexes;
    const options = { ...call, dataDir, registry, openDirectory, name };
    try {
      const made = await cloneIndex(indexToBackUp(indexes, known), options);
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
