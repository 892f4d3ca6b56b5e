import type { JobError } from '@lakehouse-search/contract';
import { CLOCK_SLACK_MS, SteadyTime } from '../base/time/steady-time.ts';
import type { RegistryFile } from './registry-file.ts';

/** A generation that is not live and must not be removed. */
export interface NamedGeneration {
  readonly number: number;
  /** `staged`: being built by a job, or left by one that crashed. `kept`: it was live before. */
  readonly state: 'staged' | 'kept';
  readonly jobId: string | null;
  /** Milliseconds since 1970; null: as long as the job runs, or until newer ones replace it. */
  readonly untilMs: number | null;
}

/** A generation that was live, and is still synced. */
export interface KeptGeneration {
  readonly number: number;
  /** Milliseconds since 1970; null: until newer ones replace it. */
  readonly untilMs: number | null;
  /** Version of the definition that it follows. */
  readonly version: number;
  /** Why the last sync could not bring it along; null: it could. */
  readonly fault: KeptFault | null;
}

/** Why a kept generation has fallen behind, and since when (milliseconds since 1970). */
export interface KeptFault extends Omit<JobError, 'details'> {
  readonly sinceMs: number;
}

/** How many kept generations stay, and how long after they were live. Absent: without limit. */
export interface KeptLimit {
  readonly generations: number;
  readonly millis?: number;
}

/** A generation counts while its job runs, or until its time is over. */
const COUNTS = `(until_ms > @now OR (state = 'kept' AND until_ms IS NULL) OR (state = 'staged' AND
  job_id IN (SELECT id FROM jobs WHERE ended_ms IS NULL)))`;

/**
 * The names of generations besides the live one, which `CURRENT` names. The row of a generation is
 * written before its folder is made, and removed after the folder is gone. `now` is the time of the
 * wall clock; what it says of a generation is believed as `SteadyTime` does.
 */
export class Generations {
  readonly #file: RegistryFile;
  readonly #time: SteadyTime;

  /** `ticks`: a monotonic clock, in milliseconds. */
  constructor(file: RegistryFile, ticks: () => number) {
    this.#file = file;
    this.#time = new SteadyTime(ticks);
  }

  /** The generations of an index that must stay, by number. */
  named(uuid: string, now: number): readonly NamedGeneration[] {
    const rows = this.#file.all<Row>(
      `SELECT * FROM generations WHERE uuid = @uuid AND ${COUNTS} ORDER BY number`,
      { uuid, now: this.#time.at(now) },
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
        { uuid, now: this.#time.at(now), folders: JSON.stringify(folders) },
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
      { uuid, number, jobId, now: this.#time.at(now) },
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

  /**
   * Names the generation that was live until now, built or altered under `version` of the
   * definition.
   */
  keep(uuid: string, number: number, version: number, now: number): void {
    this.#file.change(
      `INSERT INTO generations (uuid, number, state, kept_ms, version)
       VALUES (@uuid, @number, 'kept', @now, @version)
       ON CONFLICT DO UPDATE SET state = 'kept', job_id = NULL, until_ms = NULL, kept_ms = @now,
         version = @version, fault = NULL`,
      { uuid, number, version, now: this.#time.at(now) },
    );
  }

  /** The kept generations of an index, the one that was live last first. */
  kept(uuid: string, now: number): readonly KeptGeneration[] {
    const rows = this.#file.all<Row>(
      `SELECT * FROM generations WHERE uuid = @uuid AND state = 'kept' AND ${COUNTS}
       ORDER BY kept_ms DESC, number DESC`,
      { uuid, now: this.#time.at(now) },
    );
    return rows.map(({ number, until_ms: untilMs, version, fault }) => ({
      ...{ number, untilMs, version: version ?? 0 },
      fault: fault === null ? null : (JSON.parse(fault) as KeptFault),
    }));
  }

  /**
   * A generation that was kept in the future of the clock was kept under a wrong one: its time
   * begins now.
   */
  restartFuture(uuid: string, now: number): void {
    const time = this.#time.at(now);
    this.#file.change(
      `UPDATE generations SET until_ms = until_ms - kept_ms + @time, kept_ms = @time
       WHERE uuid = @uuid AND state = 'kept' AND kept_ms > @time + @slack AND until_ms > kept_ms`,
      { uuid, time, slack: CLOCK_SLACK_MS },
    );
  }

  /** Lets no more kept generations stay than the limit says; the others go with the next sweep. */
  limitKept(uuid: string, { generations, millis }: KeptLimit): void {
    this.#file.change(
      `UPDATE generations SET until_ms = kept_ms + @millis WHERE uuid = @uuid AND state = 'kept'`,
      { uuid, millis: millis ?? null },
    );
    this.#file.change(
      `UPDATE generations SET until_ms = 0 WHERE uuid = @uuid AND state = 'kept' AND number NOT IN (
         SELECT number FROM generations WHERE uuid = @uuid AND state = 'kept'
         ORDER BY kept_ms DESC, number DESC LIMIT @generations)`,
      { uuid, generations },
    );
  }

  /** Notes why a kept generation could not be brought along; null: it was. */
  noteFault(uuid: string, number: number, fault: KeptFault | null): void {
    this.#file.change(
      `UPDATE generations SET fault = @fault
       WHERE uuid = @uuid AND number = @number AND state = 'kept' AND fault IS NOT @fault`,
      { uuid, number, fault: fault === null ? null : JSON.stringify(fault) },
    );
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
  readonly version: number | null;
  readonly fault: string | null;
}
