import { type CallContext, type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { type RequestOf, requireListed } from '@lakehouse-search/contract/internal';
import { type AdminMethods, type AdminName, type AdminNodes, ELSEWHERE } from './admin-nodes.ts';

/** The operations of aliases. */
export function aliasOperations(nodes: AdminNodes): AdminMethods {
  return {
    listAliases: async (request, context) => {
      const all = await nodes.each('listAliases', request, context ?? {});
      const byName = new Map(all.flat().map((one) => [one.alias, one]));
      return [...byName.values()].sort((a, b) => (a.alias < b.alias ? -1 : 1));
    },
    setAlias: async (request, context) => {
      const { alias, index } = request;
      const owners = await nodes.owners(index, context ?? {});
      if (nodes.routing.names().includes(alias)) {
        throw new LhsError('index_exists', `"${alias}" is the name of an index`);
      }
      const former = nodes.routing.aliases().get(alias);
      if (former !== undefined) requireListed(context ?? {}, former, alias);
      const answers = await Promise.all(
        owners.map(({ address }) => nodes.at(address).setAlias(request, context)),
      );
      const own = new Set(owners.map(({ address }) => address));
      for (const { address, state } of nodes.routing.seen) {
        const stale = state?.indexes.some(({ aliases }) => aliases.includes(alias));
        if (stale && !own.has(address)) await nodes.at(address).dropAlias({ alias }, context);
      }
      await nodes.routing.refresh();
      return answers[0];
    },
    dropAlias: async (request, context) => {
      const { alias } = request;
      await nodes.routing.refresh();
      const having = nodes.routing.seen.filter(({ state }) =>
        state?.indexes.some(({ aliases }) => aliases.includes(alias)),
      );
      const asked = having.length === 0 ? nodes.up().slice(0, 1) : having.map((n) => n.address);
      for (const address of asked) await nodes.at(address).dropAlias(request, context);
      await nodes.routing.refresh();
    },
  };
}

/** A node without the index of a query refuses it to callers of some indexes, or of a tenant. */
const WITHOUT_INDEX: ReadonlySet<ErrorCode> = new Set([...ELSEWHERE, 'permission_denied']);

/** The operations of saved queries: each is stored on a node of its index. */
export function queryOperations(nodes: AdminNodes): AdminMethods {
  const probed = <K extends AdminName>(name: K, request: RequestOf<K>, call: CallContext = {}) =>
    nodes.first(name, request, call, (_, answer) => answer, WITHOUT_INDEX);
  return {
    listSavedQueries: async (request, context) =>
      (await nodes.each('listSavedQueries', request, context ?? {})).flat(),
    createSavedQuery: async (request, context) => {
      const owners = await nodes.owners(request.request.index, context ?? {});
      return nodes.at(owners[0].address).createSavedQuery(request, context);
    },
    replaceSavedQuery: (request, call) => probed('replaceSavedQuery', request, call),
    deleteSavedQuery: (request, call) => probed('deleteSavedQuery', request, call),
  };
}
