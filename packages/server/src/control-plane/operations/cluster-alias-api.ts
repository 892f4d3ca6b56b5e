import {
  type Alias,
  type CallContext,
  type DropAliasRequest,
  LhsError,
} from '@lakehouse-search/contract';
import {
  checkAliasRequest,
  checkDropAliasRequest,
  isListed,
  type NamesApi,
  requireListed,
} from '@lakehouse-search/contract/internal';
import type { Store } from '../../store/open-store.ts';
import { requireWhole } from './cluster-caller.ts';
import { indexNotFound } from './cluster-index-api.ts';

/** Aliases of a cluster. */
export class ClusterAliasApi implements Pick<NamesApi, 'listAliases' | 'setAlias' | 'dropAlias'> {
  readonly #store: Pick<Store, 'aliases' | 'definitions' | 'change'>;

  constructor(store: Pick<Store, 'aliases' | 'definitions' | 'change'>) {
    this.#store = store;
  }

  async listAliases(_request?: unknown, call: CallContext = {}): Promise<readonly Alias[]> {
    requireWhole(call, 'listAliases');
    return (await this.#store.aliases.list()).filter(({ index }) => isListed(call, index));
  }

  /**
   * Throws index_not_found, index_exists if the alias is the name of an index, and
   * permission_denied if the caller may not use the index that the alias was of.
   */
  async setAlias(request: Alias, call: CallContext = {}): Promise<Alias> {
    const { alias, index } = checkAliasRequest(request);
    requireWhole(call, 'setAlias');
    requireListed(call, index);
    await this.#store.change(null, async ({ definitions, aliases }) => {
      await aliases.hold();
      if ((await definitions.get(index)) === undefined) throw indexNotFound(index);
      if ((await definitions.get(alias)) !== undefined) {
        throw new LhsError('index_exists', `"${alias}" is the name of an index`, {
          hint: 'indexes and aliases share their names: choose another',
        });
      }
      const former = (await aliases.list()).find((each) => each.alias === alias);
      if (former !== undefined) requireListed(call, former.index, alias);
      await aliases.set({ alias, index });
    });
    return { alias, index };
  }

  async dropAlias(request: DropAliasRequest, call: CallContext = {}): Promise<void> {
    const { alias } = checkDropAliasRequest(request);
    requireWhole(call, 'dropAlias');
    await this.#store.change(null, async ({ aliases }) => {
      await aliases.hold();
      const found = (await aliases.list()).find((each) => each.alias === alias);
      if (found !== undefined && isListed(call, found.index)) return aliases.remove(alias);
      throw new LhsError('not_found', `there is no alias "${alias}"`, {
        next: [{ step: 'list_aliases' }],
      });
    });
  }
}
