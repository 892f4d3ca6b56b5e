import type { CallContext, DropIndexRequest } from '@lakehouse-search/contract';
import { checkDropIndexRequest } from '@lakehouse-search/contract';
import { dropFolder } from '../open/dropped-folders.ts';
import { indexFolder } from '../open/index-folder.ts';
import { requireListed } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { withLock } from './write-index.ts';

/**
 * Drops an index and its aliases: it is gone when its row is, and its files follow
 * (open/dropped-folders.ts). Throws index_not_found, invalid_argument for an alias, index_busy,
 * io_error.
 */
export async function dropLocal(
  indexes: LocalIndexes,
  request: DropIndexRequest,
  call: CallContext,
): Promise<void> {
  const { index } = checkDropIndexRequest(request);
  const { dataDir, registry } = indexes;
  const registered = registry.named(index);
  requireListed(call, registered.name);
  const { uuid } = registered;
  await withLock(indexes, registered, 'drop', async () => {
    registry.remove(uuid);
    indexes.forget(uuid);
  });
  dropFolder(indexFolder(dataDir, uuid));
  indexes.sweep();
}
