import { firstRow, type Statements } from './database.ts';

/** A lease: the right to do something until it expires, by the clock of the database. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  /** The fencing token: greater than that of every former lease of the name. */
  readonly epoch: number;
  readonly expiresMs: number;
}

interface LeaseRow {
  readonly name: string;
  readonly holder: string;
  readonly epoch: number;
  readonly expires_ms: number;
}

/** Leases by name. Of several processes that acquire one at once, one gets it. */
export class Leases {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** A new lease; undefined while another one of the name has not expired. */
  acquire(name: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    const sql = `INSERT INTO leases VALUES ($1, $2, 1, {{now}} + $3)
      ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, epoch = leases.epoch + 1,
        expires_ms = excluded.expires_ms WHERE leases.expires_ms <= {{now}} RETURNING *`;
    return this.#lease(sql, [name, holder, ttlMs]);
  }

  /** The same lease for `ttlMs` from now on; undefined if it has expired or another has followed. */
  renew({ name, epoch }: Lease, ttlMs: number): Promise<Lease | undefined> {
    const sql = `UPDATE leases SET expires_ms = {{now}} + $3
      WHERE name = $1 AND epoch = $2 AND expires_ms > {{now}} RETURNING *`;
    return this.#lease(sql, [name, epoch, ttlMs]);
  }

  /** Ends a lease; false if it had ended before. */
  async release({ name, epoch }: Lease): Promise<boolean> {
    const sql = `UPDATE leases SET expires_ms = 0
      WHERE name = $1 AND epoch = $2 AND expires_ms > {{now}}`;
    return (await this.#statements.run(sql, [name, epoch])) === 1;
  }

  /** The lease that is in force now. */
  current(name: string): Promise<Lease | undefined> {
    return this.#lease('SELECT * FROM leases WHERE name = $1 AND expires_ms > {{now}}', [name]);
  }

  async #lease(sql: string, values: readonly (string | number)[]): Promise<Lease | undefined> {
    const row = await firstRow<LeaseRow>(this.#statements, sql, values);
    if (row === undefined) return undefined;
    const { name, holder, epoch, expires_ms: expiresMs } = row;
    return { name, holder, epoch, expiresMs };
  }
}
