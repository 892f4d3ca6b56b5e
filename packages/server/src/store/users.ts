import { firstRow, type Statements, type StoreDatabase } from './database.ts';

/** A user of a server. */
export interface StoredUser {
  readonly subject: string;
  /** The encoded hash. Null: the user cannot log in with a password. */
  readonly password: string | null;
  readonly roles: readonly string[];
  readonly createdMs: number;
  readonly updatedMs: number;
}

interface UserRow {
  readonly subject: string;
  readonly password: string | null;
  readonly roles: string;
  readonly created_ms: number;
  readonly updated_ms: number;
}

/** The users of a server, by subject. */
export class Users {
  readonly #statements: StoreDatabase;

  constructor(statements: StoreDatabase) {
    this.#statements = statements;
  }

  /** All users, sorted by subject. */
  async list(): Promise<readonly StoredUser[]> {
    return listed(this.#statements);
  }

  async get(subject: string): Promise<StoredUser | undefined> {
    const sql = 'SELECT * FROM users WHERE subject = $1';
    const row = await firstRow<UserRow>(this.#statements, sql, [subject]);
    return row === undefined ? undefined : fromRow(row);
  }

  /** Adds a user; false if the subject is taken. */
  async add(subject: string, password: string | null, roles: readonly string[]): Promise<boolean> {
    const sql = `INSERT INTO users VALUES ($1, $2, $3, {{now}}, {{now}})
      ON CONFLICT (subject) DO NOTHING`;
    return (await this.#statements.run(sql, [subject, password, JSON.stringify(roles)])) === 1;
  }

  /**
   * Gives a user these roles; adds the user, without a password, if there is none. False if the
   * user is the last one with the role `kept`, and would lose it: nothing changes then.
   */
  setRoles(subject: string, roles: readonly string[], kept: string): Promise<boolean> {
    return this.#statements.transaction(async (statements) => {
      // a lease that nobody acquires: its row is locked until the transaction ends
      const lock = `INSERT INTO leases VALUES ('roles', '', 0, 0)
        ON CONFLICT (name) DO UPDATE SET epoch = leases.epoch`;
      await statements.run(lock);
      if (!roles.includes(kept)) {
        const holders = (await listed(statements)).filter((user) => user.roles.includes(kept));
        if (holders.length === 1 && holders[0].subject === subject) return false;
      }
      await storeRoles(statements, subject, roles);
      return true;
    });
  }

  /** False if there is no such user. */
  async setPassword(subject: string, password: string): Promise<boolean> {
    const sql = 'UPDATE users SET password = $2, updated_ms = {{now}} WHERE subject = $1';
    return (await this.#statements.run(sql, [subject, password])) === 1;
  }

  /** False if there is no such user. */
  async remove(subject: string): Promise<boolean> {
    return (await this.#statements.run('DELETE FROM users WHERE subject = $1', [subject])) === 1;
  }
}

async function listed(statements: Statements): Promise<readonly StoredUser[]> {
  return (await statements.rows<UserRow>('SELECT * FROM users ORDER BY subject')).map(fromRow);
}

async function storeRoles(
  statements: Statements,
  subject: string,
  roles: readonly string[],
): Promise<void> {
  const sql = `INSERT INTO users VALUES ($1, NULL, $2, {{now}}, {{now}})
    ON CONFLICT (subject) DO UPDATE SET roles = excluded.roles, updated_ms = {{now}}`;
  await statements.run(sql, [subject, JSON.stringify(roles)]);
}

function fromRow(row: UserRow): StoredUser {
  const { subject, password, created_ms: createdMs, updated_ms: updatedMs } = row;
  return { subject, password, roles: JSON.parse(row.roles), createdMs, updatedMs };
}
