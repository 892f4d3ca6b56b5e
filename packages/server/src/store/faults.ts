import type { Statements } from './database.ts';

/** Why background work fails, since its first failure in a row. */
export interface StoredFault {
  /** Empty: the work concerns no single index. */
  readonly index: string;
  /** The loop that does the work. */
  readonly work: string;
  readonly code: string;
  readonly message: string;
  readonly sinceMs: number;
}

/** The background work of a cluster that fails now, whichever process does it. */
export class Faults {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** The longest first. */
  async list(index?: string): Promise<readonly StoredFault[]> {
    const sql = `SELECT index_name AS "index", work, code, message, since_ms AS "sinceMs"
      FROM faults ORDER BY since_ms, work`;
    const all = await this.#statements.rows<StoredFault>(sql);
    return index === undefined ? all : all.filter((fault) => fault.index === index);
  }

  /** Notes a failure. The time of the first one in a row stays. */
  async set(fault: Omit<StoredFault, 'sinceMs'>): Promise<void> {
    const sql = `INSERT INTO faults (index_name, work, code, message, since_ms)
      VALUES ($1, $2, $3, $4, {{now}})
      ON CONFLICT (index_name, work)
      DO UPDATE SET code = excluded.code, message = excluded.message`;
    const { index, work, code, message } = fault;
    await this.#statements.run(sql, [index, work, code, message]);
  }

  async clear(index: string, work: string): Promise<void> {
    const sql = 'DELETE FROM faults WHERE index_name = $1 AND work = $2';
    await this.#statements.run(sql, [index, work]);
  }
}
