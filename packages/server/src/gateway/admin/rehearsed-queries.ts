import type { RehearseAlterRequest, SavedQuery } from '@lakehouse-search/contract';
import type { RoutingSource } from '../../cluster/routing.ts';
import type { AdminBackend } from '../cluster-backend.ts';
import { resolveIndex } from '../cluster-reads.ts';

/**
 * Operations whose rehearsals run the saved queries of the gateway: one node rehearses, and it does
 * not have them.
 */
export function withSavedQueries<T extends AdminBackend>(admin: T, routing: RoutingSource): T {
  const rehearseAlter: AdminBackend['rehearseAlter'] = async (request, call) => {
    const isWrong = typeof request !== 'object' || request === null;
    if (isWrong || request.queries !== undefined) return admin.rehearseAlter(request, call);
    const index = resolveIndex(routing, request.index, call ?? {});
    const saved = await admin.listSavedQueries({}, call);
    const queries = rehearsedQueries(saved, index, routing.aliases());
    return admin.rehearseAlter({ ...request, queries }, call);
  };
  return { ...admin, rehearseAlter };
}

/** The saved queries of an index as a rehearsal runs them: those of its name and its aliases. */
function rehearsedQueries(
  saved: readonly SavedQuery[],
  index: string,
  aliases: ReadonlyMap<string, string>,
): NonNullable<RehearseAlterRequest['queries']> {
  const isOwn = (name = index) => name === index || aliases.get(name) === index;
  return saved
    .filter(({ request }) => isOwn(request.index))
    .map(({ mode, request }) => {
      const { min_snapshot: _, ...rest } = request;
      return { ...(mode === undefined ? {} : { mode }), request: rest };
    });
}
