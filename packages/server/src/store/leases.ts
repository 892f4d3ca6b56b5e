import { LhsError } from '@lakehouse-search/contract';
import { firstRow, type Statements, type StoreDatabase } from './database.ts';

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
  readonly #database: StoreDatabase;

  constructor(database: StoreDatabase) {
    this.#database = database;
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
    return (await this.#database.run(sql, [name, epoch])) === 1;
  }

  /** The lease that is in force now. */
  current(name: string): Promise<Lease | undefined> {
    return this.#lease('SELECT * FROM leases WHERE name = $1 AND expires_ms > {{now}}', [name]);
  }

  /** The newest epoch of a lease, also of one that has ended; 0: it was never acquired. */
  async epochOf(name: string): Promise<number> {
    const sql = 'SELECT * FROM leases WHERE name = $1';
    return (await this.#lease(sql, [name]))?.epoch ?? 0;
  }

  /**
   * Runs `work` in a transaction in which the lease cannot pass to another holder. Throws
   * fenced, and makes no change, if it has expired or another has followed.
   */
  fenced<T>({ name, epoch }: Lease, work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#database.transaction(async (statements) => {
      // the update locks the row until the transaction ends
      const sql = `UPDATE leases SET epoch = epoch
        WHERE name = $1 AND epoch = $2 AND expires_ms > {{now}}`;
      if ((await statements.run(sql, [name, epoch])) === 1) return work(statements);
      throw fencedOff(name, epoch);
    });
  }

  async #lease(sql: string, values: readonly (string | number)[]): Promise<Lease | undefined> {
    const row = await firstRow<LeaseRow>(this.#database, sql, values);
    if (row === undefined) return undefined;
    const { name, holder, epoch, expires_ms: expiresMs } = row;
    return { name, holder, epoch, expiresMs };
  }
}

/** The error for a holder whose lease has ended: another process may act in its place. */
export function fencedOff(name: string, epoch: number): LhsError {
  const message = `the lease "${name}" of epoch ${epoch} has ended`;
  return new LhsError('fenced', message, {
    hint: 'another process may have taken over: read the state again',
    details: { lease: name, epoch },
  });
}
