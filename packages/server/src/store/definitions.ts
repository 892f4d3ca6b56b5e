import { firstRow, type Statements } from './database.ts';

/** The definition of an index of the cluster. */
export interface StoredDefinition {
  readonly index: string;
  /** YAML. */
  readonly definition: string;
  /** Increased with every change. */
  readonly version: number;
  readonly createdMs: number;
}

interface DefinitionRow {
  readonly index_name: string;
  readonly definition: string;
  readonly version: number;
  readonly created_ms: number;
}

/** The definitions of all indexes of a cluster. An index exists while it has one. */
export class Definitions {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Sorted by the name of the index. */
  async list(): Promise<readonly StoredDefinition[]> {
    const sql = 'SELECT * FROM definitions ORDER BY index_name';
    return (await this.#statements.rows<DefinitionRow>(sql)).map(fromRow);
  }

  async get(index: string): Promise<StoredDefinition | undefined> {
    const sql = 'SELECT * FROM definitions WHERE index_name = $1';
    const row = await firstRow<DefinitionRow>(this.#statements, sql, [index]);
    return row === undefined ? undefined : fromRow(row);
  }

  /** Adds the definition of a new index; false if the name is taken. */
  async add(index: string, definition: string): Promise<boolean> {
    const sql = `INSERT INTO definitions VALUES ($1, $2, 1, {{now}})
      ON CONFLICT (index_name) DO NOTHING`;
    return (await this.#statements.run(sql, [index, definition])) === 1;
  }

  /** Replaces a definition; false if its version is not `from` any more. */
  async replace(index: string, definition: string, from: number): Promise<boolean> {
    const sql = `UPDATE definitions SET definition = $2, version = version + 1
      WHERE index_name = $1 AND version = $3`;
    return (await this.#statements.run(sql, [index, definition, from])) === 1;
  }

  /** Removes an index with its route, shards and aliases; false if there is none of that name. */
  async remove(index: string): Promise<boolean> {
    for (const table of ['routes', 'placements', 'aliases']) {
      await this.#statements.run(`DELETE FROM ${table} WHERE index_name = $1`, [index]);
    }
    const sql = 'DELETE FROM definitions WHERE index_name = $1';
    return (await this.#statements.run(sql, [index])) === 1;
  }
}

function fromRow(row: DefinitionRow): StoredDefinition {
  const { index_name: index, definition, version, created_ms: createdMs } = row;
  return { index, definition, version, createdMs };
}
