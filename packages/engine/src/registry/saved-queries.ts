import { randomUUID } from 'node:crypto';
import {
  LhsError,
  type SavedQuery,
  type SavedQueryDraft,
  type SearchMode,
} from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { ONLY_FREE } from './aliases.ts';
import type { RegistryFile } from './registry-file.ts';

/** Searches that users keep under names. Each sees and changes those of one owner alone. */
export class SavedQueries {
  readonly #file: RegistryFile;
  readonly #most: number;

  /** `most`: queries of one owner. */
  constructor(file: RegistryFile, most: number = LIMITS.savedQueries) {
    this.#file = file;
    this.#most = most;
  }

  /** An owner's queries, by name. */
  list(owner: string): readonly SavedQuery[] {
    const sql = 'SELECT * FROM saved_queries WHERE owner = @owner ORDER BY name';
    return this.#file.all<Row>(sql, { owner }).map(fromRow);
  }

  /** All owners' queries whose requests name one of these indexes or aliases. */
  naming(indexes: ReadonlySet<string>): readonly OwnedQuery[] {
    return this.all().filter(({ request: { index } }) => index !== undefined && indexes.has(index));
  }

  /** All owners' queries. */
  all(): readonly OwnedQuery[] {
    const rows = this.#file.all<Row>('SELECT * FROM saved_queries ORDER BY owner, name');
    return rows.map(ownedQuery);
  }

  /**
   * Adds checked queries, with their ids if these are free. Returns the names that are taken if
   * `onlyFree`, else throws already_exists. Throws limit_exceeded.
   */
  restore(queries: readonly OwnedQuery[], onlyFree: boolean): readonly string[] {
    const leftOut: string[] = [];
    for (const { owner, id, ...draft } of queries) {
      try {
        this.create(owner, draft, this.#isFree(id) ? id : randomUUID());
      } catch (error) {
        const taken = error instanceof LhsError && error.code === 'already_exists';
        if (!taken || !onlyFree) throw taken ? alreadySaved(draft.name) : error;
        leftOut.push(draft.name);
      }
    }
    return leftOut;
  }

  #isFree(id: string): boolean {
    return this.#file.get('SELECT 1 FROM saved_queries WHERE id = @id', { id }) === undefined;
  }

  /** Keeps a checked draft. Throws already_exists (the name is taken), limit_exceeded. */
  create(owner: string, draft: SavedQueryDraft, id: string = randomUUID()): SavedQuery {
    const now = Date.now();
    const row = { ...columns(draft), id, owner, created_ms: now, updated_ms: now };
    const created = this.#file.change(
      `INSERT INTO saved_queries
         (id, owner, name, description, mode, request, created_ms, updated_ms)
       SELECT @id, @owner, @name, @description, @mode, @request, @created_ms, @updated_ms
       WHERE (SELECT count(*) FROM saved_queries WHERE owner = @owner) < @most
       ON CONFLICT DO NOTHING`,
      { ...row, most: this.#most },
    );
    if (created === 1) return fromRow(row);
    this.#requireFree(owner, draft.name, row.id);
    const message = `${this.#most} queries are saved already: no more are kept`;
    throw new LhsError('limit_exceeded', message, { next: [{ step: 'drop_saved_query' }] });
  }

  /** Puts a checked draft in the place of a query. Throws not_found, already_exists. */
  replace(owner: string, id: string, draft: SavedQueryDraft): SavedQuery {
    this.#requireFree(owner, draft.name, id);
    const changed = this.#file.get<Row>(
      `UPDATE OR IGNORE saved_queries SET name = @name, description = @description,
         mode = @mode, request = @request, updated_ms = max(@now, created_ms)
       WHERE id = @id AND owner = @owner RETURNING *`,
      { ...columns(draft), id, owner, now: Date.now() },
    );
    if (changed === undefined) throw notFound(id);
    return fromRow(changed);
  }

  /** Makes the queries of an index name it by its new name. Returns how many there are. */
  follow(from: string, to: string): number {
    const sql = `UPDATE saved_queries SET request = json_set(request, '$.index', @to)
      WHERE json_extract(request, '$.index') = @from`;
    return this.#file.change(sql, { from, to });
  }

  /** Deletes all owners' queries that name one of these indexes or aliases; how many there were. */
  deleteNaming(names: readonly string[]): number {
    const sql = `DELETE FROM saved_queries WHERE json_extract(request, '$.index') IN
      (SELECT value FROM json_each(@names))`;
    return this.#file.change(sql, { names: JSON.stringify(names) });
  }

  /** Forgets a query. Throws not_found. */
  delete(owner: string, id: string): void {
    const sql = 'DELETE FROM saved_queries WHERE id = @id AND owner = @owner';
    if (this.#file.change(sql, { id, owner }) === 0) throw notFound(id);
  }

  #requireFree(owner: string, name: string, id: string): void {
    const sql = 'SELECT 1 FROM saved_queries WHERE owner = @owner AND name = @name AND id <> @id';
    if (this.#file.get(sql, { owner, name, id }) === undefined) return;
    throw new LhsError('already_exists', `a query "${name}" is saved already`, {
      hint: 'choose another name, or replace it',
      next: [{ step: 'replace_saved_query' }],
    });
  }
}

interface Row {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly description: string | null;
  readonly mode: SearchMode;
  readonly request: string;
  readonly created_ms: number;
  readonly updated_ms: number;
}

/** A saved query with its owner. */
export interface OwnedQuery extends SavedQueryDraft {
  readonly id: string;
  readonly owner: string;
}

const columns = ({ name, description, mode = 'lexical', request }: SavedQueryDraft) => {
  return { name, description: description ?? null, mode, request: JSON.stringify(request) };
};

function fromRow({
  id,
  name,
  description,
  mode,
  request,
  created_ms,
  updated_ms,
}: Row): SavedQuery {
  return {
    id,
    name,
    ...(description === null ? {} : { description }),
    ...(mode === 'lexical' ? {} : { mode }),
    request: JSON.parse(request) as SavedQuery['request'],
    created_at: new Date(created_ms).toISOString(),
    updated_at: new Date(updated_ms).toISOString(),
  };
}

function ownedQuery(row: Row): OwnedQuery {
  const { created_at: _, updated_at: __, ...query } = fromRow(row);
  return { owner: row.owner, ...query };
}

function alreadySaved(name: string): LhsError {
  const message = `a query "${name}" is saved already, and the backup has one of that name`;
  return new LhsError('already_exists', message, { hint: ONLY_FREE });
}

/** An id of somebody else is as unknown as one that never was. */
function notFound(id: string): LhsError {
  const shown = String(id).slice(0, 64);
  return new LhsError('not_found', `there is no saved query "${shown}"`, {
    next: [{ step: 'list_saved_queries' }],
  });
}
