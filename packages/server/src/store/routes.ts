import { firstRow, type Statements } from './database.ts';

/** A copy of a shard that can be read. */
export interface StoredReplica {
  readonly node: string;
  /** HOST:PORT of the node. */
  readonly address: string;
  /** Names the commit on that node. */
  readonly commit: string;
}

/** Where an index is searched: a commit per shard, all at one snapshot under one definition. */
export interface Route {
  readonly index: string;
  /** Increased with every change of the route. */
  readonly generation: number;
  /** The snapshot that all commits show; null: an empty table. */
  readonly snapshot: string | null;
  readonly shards: number;
  /** SHA-256 of the definition that the commits were built with. */
  readonly definition: string;
  /** By shard; no replica: no living node has the shard at this snapshot. */
  readonly replicas: readonly (readonly StoredReplica[])[];
}

interface RouteRow {
  readonly index_name: string;
  readonly generation: number;
  readonly snapshot: string | null;
  readonly shards: number;
  readonly definition: string;
  readonly replicas: string;
}

/** The routes of a cluster. One row is one visible state: readers never see half of a change. */
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

  /**
   * Stores a route if its generation is newer than the stored one; false if it is not. A route that
   * was computed from a former one has the next generation, so of two such routes one is stored.
   */
  async advance(route: Route): Promise<boolean> {
    const { index, generation, snapshot, shards, definition, replicas } = route;
    const sql = `INSERT INTO routes
      (index_name, generation, snapshot, shards, buckets, definition, replicas)
      VALUES ($1, $2, $3, $4, '[]', $5, $6)
      ON CONFLICT (index_name) DO UPDATE SET generation = excluded.generation,
        snapshot = excluded.snapshot, shards = excluded.shards, definition = excluded.definition,
        replicas = excluded.replicas
      WHERE routes.generation < excluded.generation`;
    const values = [index, generation, snapshot, shards, definition, JSON.stringify(replicas)];
    return (await this.#statements.run(sql, values)) === 1;
  }
}

function routeOf(row: RouteRow): Route {
  const { index_name: index, generation, snapshot, shards, definition } = row;
  const replicas = JSON.parse(row.replicas);
  return { index, generation, snapshot, shards, definition, replicas };
}
