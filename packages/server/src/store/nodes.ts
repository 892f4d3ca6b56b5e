import { firstRow, type Statements } from './database.ts';

/** A node of the cluster, its lease, and what it held at its last heartbeat. */
export interface StoredNode {
  readonly node: string;
  /** HOST:PORT of its gRPC. */
  readonly address: string;
  /** The process: a new one for each start of the node. */
  readonly instance: string;
  /** The fencing token of the node: increased when another process takes the name. */
  readonly epoch: number;
  /** End of the lease by the clock of the database. */
  readonly expiresMs: number;
  /** State of the node, as JSON. */
  readonly state: string;
}

interface NodeRow {
  readonly node: string;
  readonly address: string;
  readonly instance: string;
  readonly epoch: number;
  readonly expires_ms: number;
  readonly state: string;
}

type Registration = Pick<StoredNode, 'node' | 'address' | 'instance' | 'state'>;

/** The nodes of a cluster. A node without a lease is not called. */
export class Nodes {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /**
   * Registers a process as a node, or renews its lease. Another process of the name gets a greater
   * epoch: the former one is fenced off. Undefined if the process had the name before another one.
   * The process that has the name may come with a former epoch: an answer was lost.
   */
  async register(
    { node, address, instance, state }: Registration,
    epoch: number,
    ttlMs: number,
  ): Promise<StoredNode | undefined> {
    const sql = `INSERT INTO nodes (node, address, instance, epoch, expires_ms, state)
      VALUES ($1, $2, $3, 1, {{now}} + $4, $5)
      ON CONFLICT (node) DO UPDATE SET address = excluded.address, instance = excluded.instance,
        epoch = CASE WHEN nodes.instance = excluded.instance AND nodes.expires_ms > {{now}}
          THEN nodes.epoch ELSE nodes.epoch + 1 END,
        expires_ms = excluded.expires_ms, state = excluded.state
      WHERE CAST($6 AS BIGINT) = 0 OR nodes.epoch = $6 OR nodes.instance = excluded.instance
      RETURNING *`;
    const values = [node, address, instance, ttlMs, state, epoch];
    const row = await firstRow<NodeRow>(this.#statements, sql, values);
    return row === undefined ? undefined : fromRow(row);
  }

  /** Nodes whose lease has not expired for longer than `graceMs`, by name. */
  async list(graceMs = 0): Promise<readonly StoredNode[]> {
    const sql = 'SELECT * FROM nodes WHERE expires_ms + $1 > {{now}} ORDER BY node';
    return (await this.#statements.rows<NodeRow>(sql, [graceMs])).map(fromRow);
  }

  /** Ends the lease of a node that stops. */
  async leave(node: string, epoch: number): Promise<void> {
    const sql = 'UPDATE nodes SET expires_ms = {{now}} WHERE node = $1 AND epoch = $2';
    await this.#statements.run(sql, [node, epoch]);
  }
}

function fromRow(row: NodeRow): StoredNode {
  const { node, address, instance, epoch, expires_ms: expiresMs, state } = row;
  return { node, address, instance, epoch, expiresMs, state };
}
