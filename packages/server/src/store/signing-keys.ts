import type { Statements } from './database.ts';

/** A key that signs session tokens: a JWK with its private part, as JSON. */
export interface SigningKey {
  readonly id: string;
  readonly privateJwk: string;
  readonly createdMs: number;
}

interface KeyRow {
  readonly id: string;
  readonly private_jwk: string;
  readonly created_ms: number;
}

/** The keys of session tokens. */
export class SigningKeys {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** All keys, the newest first. */
  async list(): Promise<readonly SigningKey[]> {
    const sql = 'SELECT * FROM signing_keys ORDER BY created_ms DESC, id';
    const rows = await this.#statements.rows<KeyRow>(sql);
    return rows.map(({ id, private_jwk: privateJwk, created_ms: createdMs }) => {
      return { id, privateJwk, createdMs };
    });
  }

  /** Adds a key unless there is one that is not older than `sinceMs`; true if it was added. */
  async addUnlessNewer({ id, privateJwk, createdMs }: SigningKey, sinceMs: number) {
    const sql = `INSERT INTO signing_keys SELECT $1, $2, $3
      WHERE NOT EXISTS (SELECT 1 FROM signing_keys WHERE created_ms >= $4)`;
    return (await this.#statements.run(sql, [id, privateJwk, createdMs, sinceMs])) === 1;
  }

  /** Removes the keys that were made before a time. */
  async removeBefore(ms: number): Promise<void> {
    await this.#statements.run('DELETE FROM signing_keys WHERE created_ms < $1', [ms]);
  }
}
