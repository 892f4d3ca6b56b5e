import { firstRow, type Statements } from './database.ts';

/** A node of the cluster, and its lease. */
export interface StoredNode {
  readonly node: string;
  /** HOST:PORT of its internal gRPC. */
  readonly address: string;
  /** The process: a new one for each start of the node. */
  readonly instance: string;
  /** The fencing token of the node's writes: increased when another process takes the name. */
  readonly epoch: number;
  /** End of the lease by the clock of the database. */
  readonly expiresMs: number;
}

interface NodeRow {
  readonly node: string;
  readonly address: string;
  readonly instance: string;
  readonly epoch: number;
  readonly expires_ms: number;
}

type Registration = Pick<StoredNode, 'node' | 'address' | 'instance'>;

/** The nodes of a cluster. A node without a lease is not called. */
export class Nodes {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /**
   * Registers a process as a node. It gets a new epoch, so a former process of the name is fenced
   * off.
   */
  async register(registration: Registration, ttlMs: number): Promise<StoredNode> {
    const { node, address, instance } = registration;
    const sql = `INSERT INTO nodes VALUES ($1, $2, $3, 1, {{now}} + $4)
      ON CONFLICT (node) DO UPDATE SET address = excluded.address, instance = excluded.instance,
        epoch = nodes.epoch + 1, expires_ms = excluded.expires_ms RETURNING *`;
    const values = [node, address, instance, ttlMs];
    return fromRow((await firstRow<NodeRow>(this.#statements, sql, values))!);
  }

  /** Renews a lease that has not expired; undefined if the node has to register again. */
  async renew(node: string, epoch: number, ttlMs: number): Promise<StoredNode | undefined> {
    const sql = `UPDATE nodes SET expires_ms = {{now}} + $3
      WHERE node = $1 AND epoch = $2 AND expires_ms > {{now}} RETURNING *`;
    const row = await firstRow<NodeRow>(this.#statements, sql, [node, epoch, ttlMs]);
    return row === undefined ? undefined : fromRow(row);
  }

  /** Nodes whose lease has not expired for longer than `graceMs`, by name. */
  async list(graceMs = 0): Promise<readonly StoredNode[]> {
    const sql = 'SELECT * FROM nodes WHERE expires_ms + $1 > {{now}} ORDER BY node';
    return (await this.#statements.rows<NodeRow>(sql, [graceMs])).map(fromRow);
  }

  /** Ends the lease of a node that stops. */
  async leave(node: string, epoch: number): Promise<void> {
    const sql = 'UPDATE nodes SET expires_ms = 0 WHERE node = $1 AND epoch = $2';
    await this.#statements.run(sql, [node, epoch]);
  }
}

function fromRow({ node, address, instance, epoch, expires_ms: expiresMs }: NodeRow): StoredNode {
  return { node, address, instance, epoch, expiresMs };
}
