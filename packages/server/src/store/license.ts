import { firstRow, type Statements } from './database.ts';

/** For whom and for how many nodes a server is licensed. */
export interface License {
  readonly licensee: string;
  /** Null: no limit. */
  readonly nodeLimit: number | null;
  readonly expiresMs: number | null;
}

interface LicenseRow {
  readonly licensee: string;
  readonly node_limit: number | null;
  readonly expires_ms: number | null;
}

/** The license of a server; undefined if none was stored. */
export async function readLicense(statements: Statements): Promise<License | undefined> {
  const row = await firstRow<LicenseRow>(statements, 'SELECT * FROM license');
  if (row === undefined) return undefined;
  return { licensee: row.licensee, nodeLimit: row.node_limit, expiresMs: row.expires_ms };
}

/** Stores the license of a server, in place of the former one. */
export async function writeLicense(statements: Statements, license: License): Promise<void> {
  const sql = `INSERT INTO license VALUES (1, $1, $2, $3) ON CONFLICT (one) DO UPDATE SET
    licensee = excluded.licensee, node_limit = excluded.node_limit,
    expires_ms = excluded.expires_ms`;
  await statements.run(sql, [license.licensee, license.nodeLimit, license.expiresMs]);
}
