import type { ErrorCode } from '@lakehouse-search/contract';
import type { RegistryFile } from './registry-file.ts';

/** Why work on an index fails, and since when (milliseconds since 1970). */
export interface WorkFault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly sinceMs: number;
}

interface Row {
  readonly code: ErrorCode;
  readonly message: string;
  readonly since_ms: number;
}

/** The work that failed last, by index: a row stays until such work on the index succeeds. */
export class Faults {
  readonly #file: RegistryFile;
  readonly #table: 'merge_faults' | 'sync_faults';

  constructor(file: RegistryFile, table: 'merge_faults' | 'sync_faults') {
    this.#file = file;
    this.#table = table;
  }

  /** null: the last work succeeded. */
  of(uuid: string): WorkFault | null {
    const sql = `SELECT code, message, since_ms FROM ${this.#table} WHERE uuid = @uuid`;
    const row = this.#file.get<Row>(sql, { uuid });
    return row === undefined
      ? null
      : { code: row.code, message: row.message, sinceMs: row.since_ms };
  }

  /** Notes the end of work; null: it succeeded. The time of the first failure stays. */
  note(uuid: string, fault: Pick<WorkFault, 'code' | 'message'> | null, now: number): void {
    const noted = this.of(uuid);
    if (noted?.code === fault?.code && noted?.message === fault?.message) return;
    if (fault === null) {
      this.#file.change(`DELETE FROM ${this.#table} WHERE uuid = @uuid`, { uuid });
      return;
    }
    const { code, message } = fault;
    this.#file.change(
      `INSERT INTO ${this.#table} (uuid, code, message, since_ms)
       SELECT uuid, @code, @message, @now FROM indexes WHERE uuid = @uuid
       ON CONFLICT (uuid) DO UPDATE SET code = @code, message = @message`,
      { uuid, code, message, now },
    );
  }
}
