import type { Statements } from './database.ts';

/** Another name of an index. */
export interface StoredAlias {
  readonly alias: string;
  readonly index: string;
}

/** The aliases of a cluster. */
export class Aliases {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /**
   * Within a transaction: keeps others from giving and taking names of indexes and aliases until
   * it ends. Names that are read after it stay as they are.
   */
  async hold(): Promise<void> {
    // the row is a lease that nobody acquires; the change locks it until the transaction ends
    const sql = `INSERT INTO leases VALUES ('names', '', 0, 0)
      ON CONFLICT (name) DO UPDATE SET epoch = leases.epoch`;
    await this.#statements.run(sql);
  }

  /** Sorted by name. */
  async list(): Promise<readonly StoredAlias[]> {
    const rows = await this.#statements.rows<{ alias: string; index_name: string }>(
      'SELECT * FROM aliases ORDER BY alias',
    );
    return rows.map(({ alias, index_name: index }) => ({ alias, index }));
  }

  /** Points an alias to an index, whatever it pointed to. */
  async set({ alias, index }: StoredAlias): Promise<void> {
    const sql = `INSERT INTO aliases VALUES ($1, $2)
      ON CONFLICT (alias) DO UPDATE SET index_name = excluded.index_name`;
    await this.#statements.run(sql, [alias, index]);
  }

  /** False if there is no such alias. */
  async remove(alias: string): Promise<boolean> {
    return (await this.#statements.run('DELETE FROM aliases WHERE alias = $1', [alias])) === 1;
  }
}
