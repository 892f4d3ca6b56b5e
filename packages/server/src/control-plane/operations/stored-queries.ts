import { randomUUID } from 'node:crypto';
import {
  type CallContext,
  type DeleteSavedQueryRequest,
  LhsError,
  type ReplaceSavedQueryRequest,
  type SavedQuery,
  type SavedQueryDraft,
} from '@lakehouse-search/contract';
import {
  checkDeleteSavedQuery,
  checkReplaceSavedQuery,
  checkSavedQueryDraft,
  checkSearchOf,
  type NamesApi,
} from '@lakehouse-search/contract/internal';
import type { UserQueries, UserQuery } from '../../store/user-queries.ts';

/** Saved queries of a user at most. */
const MOST_QUERIES = 1000;

const ownerOf = ({ principal }: CallContext): string => principal?.subject ?? '';

type QueryApi = Pick<
  NamesApi,
  'listSavedQueries' | 'createSavedQuery' | 'replaceSavedQuery' | 'deleteSavedQuery'
>;

/** Saved queries in the store of a server: each user has the own ones. */
export class StoredQueries implements QueryApi {
  readonly #queries: UserQueries;

  constructor(queries: UserQueries) {
    this.#queries = queries;
  }

  async listSavedQueries(_request?: unknown, call: CallContext = {}) {
    return (await this.#queries.list(ownerOf(call))).map(savedQuery);
  }

  /** Throws already_exists, limit_exceeded. */
  async createSavedQuery(draft: SavedQueryDraft, call: CallContext = {}): Promise<SavedQuery> {
    const stored = storedDraft(checkSavedQueryDraft(draft));
    const id = randomUUID();
    const owner = ownerOf(call);
    if (await this.#queries.add(id, owner, stored, MOST_QUERIES)) return this.#own(id, owner);
    await this.#refuseName(id, owner, stored.name);
    throw new LhsError('limit_exceeded', `a user has at most ${MOST_QUERIES} saved queries`);
  }

  /** Throws not_found, already_exists. */
  async replaceSavedQuery(request: ReplaceSavedQueryRequest, call: CallContext = {}) {
    const { id, ...draft } = checkReplaceSavedQuery(request);
    const owner = ownerOf(call);
    const stored = storedDraft(draft);
    if (await this.#queries.replace(id, owner, stored)) return this.#own(id, owner);
    const own = await this.#queries.list(owner);
    if (own.some((query) => query.id === id)) await this.#refuseName(id, owner, stored.name);
    throw noQuery(id);
  }

  /** Throws not_found. */
  async deleteSavedQuery(request: DeleteSavedQueryRequest, call: CallContext = {}): Promise<void> {
    const { id } = checkDeleteSavedQuery(request);
    if (!(await this.#queries.remove(id, ownerOf(call)))) throw noQuery(id);
  }

  /** Throws already_exists if another query of the user has the name. */
  async #refuseName(id: string, owner: string, name: string): Promise<void> {
    const own = await this.#queries.list(owner);
    if (!own.some((query) => query.name === name && query.id !== id)) return;
    throw new LhsError('already_exists', `there is a saved query "${name}" already`);
  }

  async #own(id: string, owner: string): Promise<SavedQuery> {
    const own = (await this.#queries.list(owner)).find((query) => query.id === id);
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
    ...{ id, name, request: JSON.parse(stored.request) },
    ...(mode === 'lexical' ? {} : { mode }),
    ...(description === null ? {} : { description }),
    created_at: new Date(createdMs).toISOString(),
    updated_at: new Date(updatedMs).toISOString(),
  };
}

const noQuery = (id: string): LhsError =>
  new LhsError('not_found', `there is no saved query "${id}"`);
