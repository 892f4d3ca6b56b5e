import type { Statements } from './database.ts';

/** One event in the life of an index, or of the accounts. */
export interface Activity {
  readonly atMs: number;
  /** Null for events that concern no index. */
  readonly index: string | null;
  readonly operation: string;
  readonly subject: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  readonly details: Readonly<Record<string, unknown>>;
}

interface ActivityRow {
  readonly at_ms: number;
  readonly index_name: string | null;
  readonly operation: string;
  readonly subject: string;
  readonly outcome: string;
  readonly details: string;
}

/** Events that remain; older ones are removed. */
const REMEMBERED = 10_000;
/** Additions between two removals. */
const SWEEP_EVERY = 100;

/** The newest events of a server. */
export class ActivityLog {
  readonly #statements: Statements;
  #added = 0;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  async add({ atMs, index, operation, subject, outcome, details }: Activity): Promise<void> {
    const sql = `INSERT INTO activity (at_ms, index_name, operation, subject, outcome, details)
      VALUES ($1, $2, $3, $4, $5, $6)`;
    const values = [atMs, index, operation, subject, outcome, JSON.stringify(details)];
    await this.#statements.run(sql, values);
    if (this.#added++ % SWEEP_EVERY === 0) await this.#sweep();
  }

  /** The newest events, of one index if it is named, the newest first. */
  async newest(index: string | null, limit: number): Promise<readonly Activity[]> {
    const sql = `SELECT * FROM activity
      WHERE CAST($1 AS TEXT) IS NULL OR index_name = $1 ORDER BY number DESC LIMIT $2`;
    return (await this.#statements.rows<ActivityRow>(sql, [index, limit])).map(fromRow);
  }

  async #sweep(): Promise<void> {
    const sql = 'DELETE FROM activity WHERE number <= (SELECT max(number) FROM activity) - $1';
    await this.#statements.run(sql, [REMEMBERED]);
  }
}

function fromRow(row: ActivityRow): Activity {
  const { operation, subject, outcome } = row;
  const details = JSON.parse(row.details);
  return { atMs: row.at_ms, index: row.index_name, operation, subject, outcome, details };
}
