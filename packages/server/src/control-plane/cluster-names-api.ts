import { randomUUID } from 'node:crypto';
import {
  type Alias,
  type CallContext,
  checkAliasRequest,
  checkDeleteSavedQuery,
  checkDropAliasRequest,
  checkReplaceSavedQuery,
  checkSavedQueryDraft,
  checkSearchOf,
  type DeleteSavedQueryRequest,
  type DropAliasRequest,
  LhsError,
  type NamesApi,
  type ReplaceSavedQueryRequest,
  type SavedQuery,
  type SavedQueryDraft,
} from '@lakehouse-search/contract';
import type { Store } from '../store/open-store.ts';
import type { UserQuery } from '../store/user-queries.ts';
import { isListed, requireListed } from './cluster-caller.ts';
import { indexNotFound } from './cluster-index-api.ts';

/** Saved queries of a user at most. */
const MOST_QUERIES = 1000;

const ownerOf = ({ principal }: CallContext): string => principal?.subject ?? '';

/** Aliases and saved queries of a cluster. */
export class ClusterNamesApi implements NamesApi {
  readonly #store: Pick<Store, 'aliases' | 'queries' | 'definitions' | 'change'>;

  constructor(store: Pick<Store, 'aliases' | 'queries' | 'definitions' | 'change'>) {
    this.#store = store;
  }

  async listAliases(_request?: unknown, call: CallContext = {}): Promise<readonly Alias[]> {
    return (await this.#store.aliases.list()).filter(({ index }) => isListed(call, index));
  }

  /** Throws index_not_found, and already_exists if the alias is the name of an index. */
  async setAlias(request: Alias, call: CallContext = {}): Promise<Alias> {
    const { alias, index } = checkAliasRequest(request);
    requireListed(call, index);
    await this.#store.change(null, async ({ definitions, aliases }) => {
      if ((await definitions.get(index)) === undefined) throw indexNotFound(index);
      if ((await definitions.get(alias)) !== undefined) {
        throw new LhsError('already_exists', `"${alias}" is the name of an index`);
      }
      await aliases.set({ alias, index });
    });
    return { alias, index };
  }

  async dropAlias(request: DropAliasRequest, call: CallContext = {}): Promise<void> {
    const { alias } = checkDropAliasRequest(request);
    const found = (await this.listAliases({}, call)).some((each) => each.alias === alias);
    if (found && (await this.#store.aliases.remove(alias))) return;
    throw new LhsError('not_found', `there is no alias "${alias}"`);
  }

  async listSavedQueries(_request?: unknown, call: CallContext = {}) {
    return (await this.#store.queries.list(ownerOf(call))).map(savedQuery);
  }

  /** Throws already_exists, limit_exceeded. */
  async createSavedQuery(draft: SavedQueryDraft, call: CallContext = {}): Promise<SavedQuery> {
    const stored = storedDraft(checkSavedQueryDraft(draft));
    const id = randomUUID();
    const owner = ownerOf(call);
    if (await this.#store.queries.add(id, owner, stored, MOST_QUERIES)) return this.#own(id, owner);
    const own = await this.#store.queries.list(owner);
    if (own.some(({ name }) => name === stored.name)) {
      throw new LhsError('already_exists', `there is a saved query "${stored.name}" already`);
    }
    throw new LhsError('limit_exceeded', `a user has at most ${MOST_QUERIES} saved queries`);
  }

  /** Throws not_found. */
  async replaceSavedQuery(request: ReplaceSavedQueryRequest, call: CallContext = {}) {
    const { id, ...draft } = checkReplaceSavedQuery(request);
    const owner = ownerOf(call);
    if (await this.#store.queries.replace(id, owner, storedDraft(draft)))
      return this.#own(id, owner);
    throw noQuery(id);
  }

  /** Throws not_found. */
  async deleteSavedQuery(request: DeleteSavedQueryRequest, call: CallContext = {}): Promise<void> {
    const { id } = checkDeleteSavedQuery(request);
    if (!(await this.#store.queries.remove(id, ownerOf(call)))) throw noQuery(id);
  }

  async #own(id: string, owner: string): Promise<SavedQuery> {
    const own = (await this.#store.queries.list(owner)).find((query) => query.id === id);
    if (own === undefined) throw noQuery(id);
    return savedQuery(own);
  }
}

function storedDraft({ name, description, mode = 'lexical', request }: SavedQueryDraft) {
  checkSearchOf(mode, request);
  return { name, mode, description: description ?? null, request: JSON.stringify(request) };
}

function savedQuery(stored: UserQuery): SavedQuery {
  const { id, name, mode, description, createdMs, updatedMs } = stored;
  return {
    ...{ id, name, mode, request: JSON.parse(stored.request) },
    ...(description === null ? {} : { description }),
    created_at: new Date(createdMs).toISOString(),
    updated_at: new Date(updatedMs).toISOString(),
  };
}

const noQuery = (id: string): LhsError =>
  new LhsError('not_found', `there is no saved query "${id}"`);
