import type { Statements } from './database.ts';

/** The node that has to serve a shard. */
export interface Placement {
  readonly index: string;
  readonly shard: number;
  readonly node: string;
}

/** Which node serves which shard. The leader of the control planes alone changes it. */
export class Placements {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** All placements, by index and shard; `index`: those of one index. */
  async list(index?: string): Promise<readonly Placement[]> {
    const sql = `SELECT index_name AS "index", shard, node FROM placements
      WHERE CAST($1 AS TEXT) IS NULL OR index_name = $1 ORDER BY index_name, shard`;
    return this.#statements.rows<Placement>(sql, [index ?? null]);
  }

  async set({ index, shard, node }: Placement): Promise<void> {
    const sql = `INSERT INTO placements VALUES ($1, $2, $3)
      ON CONFLICT (index_name, shard) DO UPDATE SET node = excluded.node`;
    await this.#statements.run(sql, [index, shard, node]);
  }

  /** Removes the placements of shards from `shards` on: an index that has fewer than before. */
  async trim(index: string, shards: number): Promise<void> {
    const sql = 'DELETE FROM placements WHERE index_name = $1 AND shard >= $2';
    await this.#statements.run(sql, [index, shards]);
  }
}
