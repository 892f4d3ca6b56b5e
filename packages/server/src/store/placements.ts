import type { Statements } from './database.ts';

/** The node that has to hold an index: it alone writes it. */
export interface Placement {
  readonly index: string;
  readonly node: string;
}

const SELECT = 'SELECT index_name AS "index", node FROM placements WHERE shard = 0';

/**
 * Which node holds which index. The leader of the control planes alone changes it. Each has one
 * row, of shard 0: rows of other shards are of former versions, which spread them over nodes.
 */
export class Placements {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** All placements, by index. */
  list(): Promise<readonly Placement[]> {
    return this.#statements.rows<Placement>(`${SELECT} ORDER BY index_name`);
  }

  /** The name of the node of an index; undefined: it has none yet. */
  async nodeOf(index: string): Promise<string | undefined> {
    const sql = `${SELECT} AND index_name = $1`;
    return (await this.#statements.rows<Placement>(sql, [index]))[0]?.node;
  }

  async set({ index, node }: Placement): Promise<void> {
    const sql = `INSERT INTO placements VALUES ($1, 0, $2)
      ON CONFLICT (index_name, shard) DO UPDATE SET node = excluded.node`;
    await this.#statements.run(sql, [index, node]);
  }
}
