import { firstRow, type Statements } from './database.ts';

/** How the keys of an index are routed to its shards. */
export interface Route {
  readonly index: string;
  /** Increased with every change of the shards, their generations or buckets. */
  readonly generation: number;
  readonly snapshot: string | null;
  readonly shards: number;
  /** The shard of each bucket; empty: hash of the key modulo shards. */
  readonly buckets: readonly number[];
}

/** A shard that a node serves. */
export interface ServedShard {
  readonly index: string;
  readonly shard: number;
  readonly node: string;
  readonly address: string;
  readonly epoch: number;
}

interface RouteRow {
  readonly index_name: string;
  readonly generation: number;
  readonly snapshot: string | null;
  readonly shards: number;
  readonly buckets: string;
}
interface ServedRow {
  readonly index_name: string;
  readonly shard: number;
  readonly node: string;
  readonly address: string;
  readonly epoch: number;
}

/** Routing tables of a cluster, and the nodes that serve the shards. */
export class Routes {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  async get(index: string): Promise<Route | undefined> {
    const sql = 'SELECT * FROM routes WHERE index_name = $1';
    const row = await firstRow<RouteRow>(this.#statements, sql, [index]);
    if (row === undefined) return undefined;
    const { generation, snapshot, shards } = row;
    return { index, generation, snapshot, shards, buckets: JSON.parse(row.buckets) };
  }

  /** Stores a route if its generation is newer than the stored one; false if it is not. */
  async advance({ index, generation, snapshot, shards, buckets }: Route): Promise<boolean> {
    const sql = `INSERT INTO routes VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (index_name) DO UPDATE SET generation = excluded.generation,
        snapshot = excluded.snapshot, shards = excluded.shards, buckets = excluded.buckets
      WHERE routes.generation < excluded.generation`;
    const values = [index, generation, snapshot, shards, JSON.stringify(buckets)];
    return (await this.#statements.run(sql, values)) === 1;
  }

  /** Registers a served shard; false if the node has registered it with a newer epoch. */
  async register({ index, shard, node, address, epoch }: ServedShard): Promise<boolean> {
    const sql = `INSERT INTO served_shards VALUES ($1, $2, $3, $4, $5, {{now}})
      ON CONFLICT (index_name, shard, node) DO UPDATE SET address = excluded.address,
        epoch = excluded.epoch, seen_ms = excluded.seen_ms
      WHERE served_shards.epoch <= excluded.epoch`;
    return (await this.#statements.run(sql, [index, shard, node, address, epoch])) === 1;
  }

  /** The shards of an index that nodes have registered within `ttlMs`, by ordinal and node. */
  async served(index: string, ttlMs: number): Promise<readonly ServedShard[]> {
    const sql = `SELECT * FROM served_shards WHERE index_name = $1 AND seen_ms > {{now}} - $2
      ORDER BY shard, node`;
    const rows = await this.#statements.rows<ServedRow>(sql, [index, ttlMs]);
    return rows.map(({ shard, node, address, epoch }) => ({ index, shard, node, address, epoch }));
  }
}
