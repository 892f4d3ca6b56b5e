import { firstRow, type Statements } from './database.ts';

/** How the keys of an index are routed to its shards. */
export interface Route {
  readonly index: string;
  /** Increased when a job replaces what the shards hold: their definition, number or buckets. */
  readonly generation: number;
  /** The snapshot that searches read, in all shards; null: an empty table. */
  readonly snapshot: string | null;
  readonly shards: number;
  /** The shard of each bucket; empty: equal ranges of buckets. */
  readonly buckets: readonly number[];
  /** The version of the definition that the generation was built with. */
  readonly definitionVersion: number;
}

/** A shard that a node serves. */
export interface ServedShard {
  readonly index: string;
  readonly shard: number;
  readonly node: string;
  readonly address: string;
  /** Epoch of the node's lease. */
  readonly epoch: number;
  /** The newest generation and snapshot that it can answer from. */
  readonly generation: number;
  readonly snapshot: string | null;
}

interface RouteRow {
  readonly index_name: string;
  readonly generation: number;
  readonly snapshot: string | null;
  readonly shards: number;
  readonly buckets: string;
  readonly definition_version: number;
}
interface ServedRow {
  readonly index_name: string;
  readonly shard: number;
  readonly node: string;
  readonly address: string;
  readonly epoch: number;
  readonly generation: number;
  readonly snapshot: string | null;
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
    return row === undefined ? undefined : routeOf(row);
  }

  /** The routes of all indexes that were built, by name. */
  async list(): Promise<readonly Route[]> {
    const sql = 'SELECT * FROM routes ORDER BY index_name';
    return (await this.#statements.rows<RouteRow>(sql)).map(routeOf);
  }

  /** Stores a route if its generation is newer than the stored one; false if it is not. */
  async advance(route: Route): Promise<boolean> {
    const { index, generation, snapshot, shards, buckets, definitionVersion } = route;
    const sql = `INSERT INTO routes VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (index_name) DO UPDATE SET generation = excluded.generation,
        snapshot = excluded.snapshot, shards = excluded.shards, buckets = excluded.buckets,
        definition_version = excluded.definition_version
      WHERE routes.generation < excluded.generation`;
    const placed = JSON.stringify(buckets);
    const values = [index, generation, snapshot, shards, placed, definitionVersion];
    return (await this.#statements.run(sql, values)) === 1;
  }

  /**
   * Flips an index to a snapshot, for all of its shards together; false if its generation or its
   * snapshot are not `from` any more.
   */
  async flip(from: Pick<Route, 'index' | 'generation' | 'snapshot'>, to: string | null) {
    const sql = `UPDATE routes SET snapshot = $4 WHERE index_name = $1 AND generation = $2
      AND coalesce(snapshot, '') = coalesce($3, '')`;
    const values = [from.index, from.generation, from.snapshot, to];
    return (await this.#statements.run(sql, values)) === 1;
  }

  /** Registers a served shard; false if the node has registered it with a newer epoch. */
  async register(served: ServedShard): Promise<boolean> {
    const { index, shard, node, address, epoch, generation, snapshot } = served;
    const sql = `INSERT INTO served_shards VALUES ($1, $2, $3, $4, $5, {{now}}, $6, $7)
      ON CONFLICT (index_name, shard, node) DO UPDATE SET address = excluded.address,
        epoch = excluded.epoch, seen_ms = excluded.seen_ms, generation = excluded.generation,
        snapshot = excluded.snapshot
      WHERE served_shards.epoch <= excluded.epoch`;
    const values = [index, shard, node, address, epoch, generation, snapshot];
    return (await this.#statements.run(sql, values)) === 1;
  }

  /** Forgets a shard that a node serves no more. */
  async unregister({ index, shard, node }: Pick<ServedShard, 'index' | 'shard' | 'node'>) {
    const sql = 'DELETE FROM served_shards WHERE index_name = $1 AND shard = $2 AND node = $3';
    await this.#statements.run(sql, [index, shard, node]);
  }

  /** The shards of an index that nodes have registered within `ttlMs`, by ordinal and node. */
  async served(index: string, ttlMs: number): Promise<readonly ServedShard[]> {
    const sql = `SELECT * FROM served_shards WHERE index_name = $1 AND seen_ms > {{now}} - $2
      ORDER BY shard, node`;
    const rows = await this.#statements.rows<ServedRow>(sql, [index, ttlMs]);
    return rows.map(({ index_name: _, ...served }) => servedOf(index, served));
  }
}

function servedOf(index: string, row: Omit<ServedRow, 'index_name'>): ServedShard {
  const { shard, node, address, epoch, generation, snapshot } = row;
  return { index, shard, node, address, epoch, generation, snapshot };
}

function routeOf(row: RouteRow): Route {
  const { index_name: index, generation, snapshot, shards } = row;
  const buckets = JSON.parse(row.buckets);
  return {
    ...{ index, generation, snapshot, shards, buckets },
    definitionVersion: row.definition_version,
  };
}
