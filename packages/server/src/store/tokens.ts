import { firstRow, type Statements } from './database.ts';

/** An API token. Its secret is not stored, only the hash of it. */
export interface StoredToken {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the secret, hexadecimal. */
  readonly secretHash: string;
  readonly roles: readonly string[];
  /** The indexes that the token may use. Null: all of them. */
  readonly indexes: readonly string[] | null;
  readonly tenant: string | null;
  readonly createdBy: string;
  readonly createdMs: number;
  readonly expiresMs: number | null;
}

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly secret_hash: string;
  readonly roles: string;
  readonly indexes: string | null;
  readonly tenant: string | null;
  readonly created_by: string;
  readonly created_ms: number;
  readonly expires_ms: number | null;
}

/** The API tokens of a server. */
export class Tokens {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** All tokens, the newest first. */
  async list(): Promise<readonly StoredToken[]> {
    const sql = 'SELECT * FROM tokens ORDER BY created_ms DESC, id';
    return (await this.#statements.rows<TokenRow>(sql)).map(fromRow);
  }

  async get(id: string): Promise<StoredToken | undefined> {
    const sql = 'SELECT * FROM tokens WHERE id = $1';
    const row = await firstRow<TokenRow>(this.#statements, sql, [id]);
    return row === undefined ? undefined : fromRow(row);
  }

  async count(): Promise<number> {
    const row = await firstRow<{ n: number }>(this.#statements, 'SELECT count(*) AS n FROM tokens');
    return row?.n ?? 0;
  }

  async add(token: StoredToken): Promise<void> {
    await this.#statements.run('INSERT INTO tokens VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
      token.id,
      token.name,
      token.secretHash,
      JSON.stringify(token.roles),
      token.indexes === null ? null : JSON.stringify(token.indexes),
      token.tenant,
      token.createdBy,
      token.createdMs,
      token.expiresMs,
    ]);
  }

  /** False if there is no such token. */
  async remove(id: string): Promise<boolean> {
    return (await this.#statements.run('DELETE FROM tokens WHERE id = $1', [id])) === 1;
  }
}

function fromRow(row: TokenRow): StoredToken {
  const { id, name, tenant } = row;
  return {
    id,
    name,
    secretHash: row.secret_hash,
    roles: JSON.parse(row.roles),
    indexes: row.indexes === null ? null : JSON.parse(row.indexes),
    tenant,
    createdBy: row.created_by,
    createdMs: row.created_ms,
    expiresMs: row.expires_ms,
  };
}
