import type { ErrorCode } from '@lakehouse-search/contract';
import type { RegistryFile } from './registry-file.ts';

/** Why merges of an index fail, and since when (milliseconds since 1970). */
export interface MergeFault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly sinceMs: number;
}

interface Row {
  readonly code: ErrorCode;
  readonly message: string;
  readonly since_ms: number;
}

/** The merges that failed last, by index: a row stays until a merge of the index succeeds. */
export class MergeFaults {
  readonly #file: RegistryFile;

  constructor(file: RegistryFile) {
    this.#file = file;
  }

  /** null: the last merge succeeded. */
  of(uuid: string): MergeFault | null {
    const sql = 'SELECT code, message, since_ms FROM merge_faults WHERE uuid = @uuid';
    const row = this.#file.get<Row>(sql, { uuid });
    return row === undefined
      ? null
      : { code: row.code, message: row.message, sinceMs: row.since_ms };
  }

  /** Notes the end of a merge; null: it succeeded. The time of the first failure stays. */
  note(uuid: string, fault: Pick<MergeFault, 'code' | 'message'> | null, now: number): void {
    if (fault === null) {
      if (this.of(uuid) === null) return;
      this.#file.change('DELETE FROM merge_faults WHERE uuid = @uuid', { uuid });
      return;
    }
    const { code, message } = fault;
    this.#file.change(
      `INSERT INTO merge_faults (uuid, code, message, since_ms)
       SELECT uuid, @code, @message, @now FROM indexes WHERE uuid = @uuid
       ON CONFLICT (uuid) DO UPDATE SET code = @code, message = @message`,
      { uuid, code, message, now },
    );
  }
}
