import type { Statements } from './database.ts';

/** An index of a node that the cluster has no more. */
export interface DroppedPart {
  readonly node: string;
  readonly index: string;
  readonly uuid: string;
}

/** The parts of dropped indexes whose files nodes have to remove. */
export class DroppedIndexes {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  async list(): Promise<readonly DroppedPart[]> {
    const sql = 'SELECT node, index_name AS "index", uuid FROM dropped_indexes ORDER BY node, uuid';
    return this.#statements.rows<DroppedPart>(sql);
  }

  async add({ node, index, uuid }: DroppedPart): Promise<void> {
    const sql = 'INSERT INTO dropped_indexes VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
    await this.#statements.run(sql, [node, index, uuid]);
  }

  /** The parts that a node still holds; forgets those that it has removed. */
  async settle(node: string, held: ReadonlySet<string>): Promise<readonly DroppedPart[]> {
    const own = (await this.list()).filter((part) => part.node === node);
    for (const { uuid } of own.filter((part) => !held.has(part.uuid))) {
      const sql = 'DELETE FROM dropped_indexes WHERE node = $1 AND uuid = $2';
      await this.#statements.run(sql, [node, uuid]);
    }
    return own.filter(({ uuid }) => held.has(uuid));
  }
}
