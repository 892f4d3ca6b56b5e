import type { DropResponse } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import type { DroppedIndex } from '../cluster/registrar.ts';

/**
 * Removes an index that the cluster has dropped; a later index of the same name stays. Undefined if
 * the node does not hold it. Throws index_busy, io_error.
 */
export type RemoveIndex = (dropped: DroppedIndex) => Promise<DropResponse | undefined>;

/**
 * Removals of a node, one after another: between the look at an index and its removal, no other
 * removal can make room for a new index of the same name.
 */
export function removals(
  backend: Pick<BackendApi, 'dropIndex'>,
  held: () => readonly DroppedIndex[],
): RemoveIndex {
  let last: Promise<unknown> = Promise.resolve();
  return ({ index, uuid }) => {
    const holds = () => held().some((own) => own.index === index && own.uuid === uuid);
    const remove = async () => (holds() ? backend.dropIndex({ index }) : undefined);
    const result = last.then(remove);
    last = result.catch(() => {});
    return result;
  };
}
