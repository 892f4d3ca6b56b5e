import type { CallContext, IndexRequest, IndexStatus } from '@lakehouse-search/contract';
import { isUnreachable } from '@lakehouse-search/contract/internal';

/** How a status is read. */
export type StatusOf = (request: IndexRequest, call?: CallContext) => Promise<IndexStatus>;

/**
 * The status by the control plane, which knows more; while it or its store cannot be reached, the
 * status by the nodes, whose `sync_failure` says so.
 */
export function ledStatus(byPlane: StatusOf, byNodes: StatusOf): StatusOf {
  let awaySince: string | undefined;
  return async (request, call) => {
    try {
      const status = await byPlane(request, call);
      awaySince = undefined;
      return status;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      const since = (awaySince ??= new Date().toISOString());
      const { code, message } = error;
      return { ...(await byNodes(request, call)), sync_failure: { code, message, since } };
    }
  };
}
