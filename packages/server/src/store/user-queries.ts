import type { SearchMode } from '@lakehouse-search/contract';
import type { Statements } from './database.ts';

/** A saved query of a user; `request` is the request of a search of `mode` as JSON. */
export interface UserQuery {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly description: string | null;
  readonly mode: SearchMode;
  readonly request: string;
  readonly createdMs: number;
  readonly updatedMs: number;
}

type QueryRow = Omit<UserQuery, 'createdMs' | 'updatedMs'> & {
  readonly created_ms: number;
  readonly updated_ms: number;
};

type Draft = Pick<UserQuery, 'name' | 'description' | 'mode' | 'request'>;

/** The saved queries of all users. A user sees and changes only the own ones. */
export class UserQueries {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** The queries of a user, sorted by name. */
  async list(owner: string): Promise<readonly UserQuery[]> {
    const sql = 'SELECT * FROM saved_queries WHERE owner = $1 ORDER BY name';
    return (await this.#statements.rows<QueryRow>(sql, [owner])).map(fromRow);
  }

  /** The queries of all users. */
  async all(): Promise<readonly UserQuery[]> {
    const rows = await this.#statements.rows<QueryRow>('SELECT * FROM saved_queries ORDER BY id');
    return rows.map(fromRow);
  }

  /** False if the user has a query of that name, or as many as `most`. */
  async add(id: string, owner: string, draft: Draft, most: number): Promise<boolean> {
    const sql = `INSERT INTO saved_queries
      (id, owner, name, description, mode, request, created_ms, updated_ms)
      SELECT $1, $2, $3, $4, $5, $6, {{now}}, {{now}}
      WHERE (SELECT count(*) FROM saved_queries WHERE owner = $2) < $7
      ON CONFLICT (owner, name) DO NOTHING`;
    const values = [id, owner, ...columnsOf(draft), most];
    return (await this.#statements.run(sql, values)) === 1;
  }

  /** False if the user has no query of that id, or another one of that name. */
  async replace(id: string, owner: string, draft: Draft): Promise<boolean> {
    const sql = `UPDATE saved_queries SET name = $3, description = $4, mode = $5,
      request = $6, updated_ms = {{now}} WHERE id = $1 AND owner = $2 AND NOT EXISTS (
        SELECT 1 FROM saved_queries WHERE owner = $2 AND name = $3 AND id <> $1)`;
    const values = [id, owner, ...columnsOf(draft)];
    return (await this.#statements.run(sql, values)) === 1;
  }

  /** Makes the queries of an index name it by its new name. Returns how many there are. */
  async follow(from: string, to: string): Promise<number> {
    const own = (await this.all()).filter(({ request }) => JSON.parse(request).index === from);
    const sql = 'UPDATE saved_queries SET request = $2 WHERE id = $1 AND request = $3';
    let changed = 0;
    for (const { id, request } of own) {
      const next = JSON.stringify({ ...JSON.parse(request), index: to });
      changed += await this.#statements.run(sql, [id, next, request]);
    }
    return changed;
  }

  /** False if the user has no query of that id. */
  async remove(id: string, owner: string): Promise<boolean> {
    const sql = 'DELETE FROM saved_queries WHERE id = $1 AND owner = $2';
    return (await this.#statements.run(sql, [id, owner])) === 1;
  }
}

const columnsOf = ({ name, description, mode, request }: Draft) =>
  [name, description, mode, request] as const;

function fromRow({ created_ms: createdMs, updated_ms: updatedMs, ...row }: QueryRow): UserQuery {
  return { ...row, createdMs, updatedMs };
}
