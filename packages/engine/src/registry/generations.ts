import type { RegistryFile } from './registry-file.ts';

/** A generation that is not live and must not be removed. */
export interface NamedGeneration {
  readonly number: number;
  /** `staged`: being built by a job, or left by one that crashed. `kept`: kept for a while. */
  readonly state: 'staged' | 'kept';
  readonly jobId: string | null;
  /** Milliseconds since 1970; null: as long as the job runs. */
  readonly untilMs: number | null;
}

/** A generation counts while its job runs, or until its time is over. */
const COUNTS = `(until_ms > @now OR (state = 'staged' AND
  job_id IN (SELECT id FROM jobs WHERE ended_ms IS NULL)))`;

/**
 * The names of generations besides the live one, which `CURRENT` names. The row of a generation is
 * written before its folder is made, and removed after the folder is gone.
 */
export class Generations {
  readonly #file: RegistryFile;

  constructor(file: RegistryFile) {
    this.#file = file;
  }

  /** The generations of an index that must stay, by number. */
  named(uuid: string, now: number): readonly NamedGeneration[] {
    const rows = this.#file.all<Row>(
      `SELECT * FROM generations WHERE uuid = @uuid AND ${COUNTS} ORDER BY number`,
      { uuid, now },
    );
    return rows.map(({ number, state, job_id: jobId, until_ms: untilMs }) => {
      return { number, state, jobId, untilMs };
    });
  }

  /**
   * Names a generation for a job, with a number above all others; `folders` are the numbers of the
   * folders that exist. Rows that no longer count and have no folder are removed.
   */
  stage(uuid: string, jobId: string, folders: readonly number[], now: number): number {
    return this.#file.exclusively(() => {
      const rows = this.#file.all<Row>('SELECT * FROM generations WHERE uuid = @uuid', { uuid });
      const number = Math.max(0, ...folders, ...rows.map((row) => row.number)) + 1;
      this.#file.change(
        `DELETE FROM generations WHERE uuid = @uuid AND NOT ifnull(${COUNTS}, 0)
         AND number NOT IN (SELECT value FROM json_each(@folders))`,
        { uuid, now, folders: JSON.stringify(folders) },
      );
      this.#file.change(
        `INSERT INTO generations (uuid, number, state, job_id) VALUES (@uuid, @number, 'staged',
         @jobId)`,
        { uuid, number, jobId },
      );
      return number;
    });
  }

  /** Lets a generation stay until `untilMs`, whatever becomes of its job. */
  keepUntil(uuid: string, number: number, untilMs: number): void {
    this.#file.change(
      'UPDATE generations SET until_ms = @untilMs WHERE uuid = @uuid AND number = @number',
      { uuid, number, untilMs },
    );
  }

  /** Hands what a crashed job left over to a new job. False if it does not count any more. */
  adopt(uuid: string, number: number, jobId: string, now: number): boolean {
    const changed = this.#file.change(
      `UPDATE generations SET job_id = @jobId, until_ms = NULL
       WHERE uuid = @uuid AND number = @number AND ${COUNTS}`,
      { uuid, number, jobId, now },
    );
    return changed === 1;
  }

  /** Removes the name of a generation whose folder is gone, or live. */
  forget(uuid: string, number: number): void {
    this.#file.change('DELETE FROM generations WHERE uuid = @uuid AND number = @number', {
      uuid,
      number,
    });
  }

  /** Lets nothing stay that jobs left which have ended. */
  forgetEnded(uuid: string): void {
    this.#file.change(
      `UPDATE generations SET until_ms = NULL WHERE uuid = @uuid AND state = 'staged'
       AND until_ms IS NOT NULL`,
      { uuid },
    );
  }
}

interface Row {
  readonly number: number;
  readonly state: 'staged' | 'kept';
  readonly job_id: string | null;
  readonly until_ms: number | null;
}
