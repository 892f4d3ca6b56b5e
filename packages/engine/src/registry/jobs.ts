/**
 * Durable job records, one row per job. `number` grows with each job. `state` changes by the table
 * of the contract alone, in one transaction each. `owner` is the process that runs the job (JSON;
 * null after its end), `cancel_ms` the time at which cancellation was requested, `record` the rest
 * (JSON): progress, result, error. A unique index allows one running reindex per index.
 */
import { randomUUID } from 'node:crypto';
import { threadId } from 'node:worker_threads';
import {
  ENDED_JOB_STATES,
  type Job,
  type JobEvent,
  type JobKind,
  type JobState,
  nextJobState,
} from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { isGone, type ProcessIdentity, thisProcess } from '../index/process-identity.ts';
import type { NewDefinition } from './registry.ts';
import type { RegistryFile } from './registry-file.ts';

/** The process and thread that run a job. */
export type JobOwner = ProcessIdentity & { readonly thread: number };

/** The definition that a job puts in force with its generation. */
export interface Redefinition {
  /** The version that it replaces. */
  readonly from: number;
  readonly to: NewDefinition;
  /** The generation takes over the files of the live one. Absent: it is built from the table. */
  readonly by?: 'field' | undefined;
}

/** What the record of a job holds besides its columns. */
export type JobRecord = Pick<
  Job,
  'shards' | 'windows' | 'as_of' | 'phase' | 'snapshot' | 'bytes' | 'eta_ms' | 'result' | 'error'
> & {
  readonly redefines?: Redefinition | undefined;
};

/** What the record of a job holds from its start. */
export type FirstRecord = { readonly as_of?: string | undefined } & Pick<JobRecord, 'redefines'>;

/** A job as the registry has it. */
export interface RegisteredJob {
  readonly id: string;
  readonly uuid: string;
  /** The index's own name. */
  readonly index: string;
  readonly kind: JobKind;
  readonly state: JobState;
  readonly owner: JobOwner | null;
  readonly createdMs: number;
  readonly endedMs: number | null;
  readonly cancelMs: number | null;
  /** What a crash of the job left can be continued. */
  readonly resumable: boolean;
  readonly record: JobRecord;
}

const SELECT = `SELECT jobs.*, indexes.name AS name, EXISTS (SELECT 1 FROM generations
  WHERE job_id = jobs.id AND until_ms IS NOT NULL) AS resumable
  FROM jobs JOIN indexes USING (uuid)`;

/** Jobs that this thread runs: their rows have its process as owner. */
const runningHere = new Set<string>();

/** Several processes may share the file. */
export class Jobs {
  readonly #file: RegistryFile;
  readonly #most: number;

  /** `most`: records of jobs that have ended. */
  constructor(file: RegistryFile, most: number = LIMITS.endedJobs) {
    this.#file = file;
    this.#most = most;
  }

  /**
   * Adds a job of this process, in the state `pending`. Null if a job of that kind runs on the
   * index already, or the index is gone.
   */
  start(
    uuid: string,
    kind: JobKind,
    now: number,
    { as_of, redefines }: FirstRecord = {},
  ): RegisteredJob | null {
    const id = randomUUID();
    const owner: JobOwner = { ...thisProcess(), thread: threadId };
    const record: JobRecord = {
      shards: [],
      ...(as_of === undefined ? {} : { as_of }),
      ...(redefines === undefined ? {} : { redefines }),
    };
    runningHere.add(id);
    const added = this.#file.change(
      `INSERT INTO jobs (id, uuid, kind, state, owner, created_ms, record)
       SELECT @id, @uuid, @kind, 'pending', @owner, @now, @record
       WHERE EXISTS (SELECT 1 FROM indexes WHERE uuid = @uuid) ON CONFLICT DO NOTHING`,
      { id, uuid, kind, owner: JSON.stringify(owner), now, record: JSON.stringify(record) },
    );
    const job = added === 1 ? this.get(id) : undefined;
    if (job === undefined) runningHere.delete(id);
    return job ?? null;
  }

  get(id: string): RegisteredJob | undefined {
    const row = this.#file.get<Row>(`${SELECT} WHERE jobs.id = @id`, { id });
    return row === undefined ? undefined : fromRow(row);
  }

  /** Newest first. */
  list(): readonly RegisteredJob[] {
    return this.#file.all<Row>(`${SELECT} ORDER BY jobs.number DESC`).map(fromRow);
  }

  /** Jobs that have not ended, of one index or of all. */
  running(uuid?: string): readonly RegisteredJob[] {
    const one = uuid === undefined ? '' : 'AND jobs.uuid = @uuid';
    const sql = `${SELECT} WHERE ended_ms IS NULL ${one}`;
    return this.#file.all<Row>(sql, uuid === undefined ? {} : { uuid }).map(fromRow);
  }

  /**
   * Applies an event, and `changes` of the record if it changes the state; `work` runs in the same
   * transaction then. Returns the job afterwards; undefined: there is none.
   */
  apply(
    id: string,
    event: JobEvent,
    now: number,
    changes: Partial<JobRecord> = {},
    work: (job: RegisteredJob) => void = () => {},
  ): RegisteredJob | undefined {
    const after = this.#file.exclusively(() => {
      const job = this.get(id);
      if (job === undefined) return undefined;
      const state = nextJobState(job.state, event);
      if (state === job.state) return job;
      work(job);
      const ended = ENDED_JOB_STATES.has(state);
      const { phase, eta_ms, ...kept } = { ...job.record, ...changes };
      const record = ended ? kept : { ...kept, phase, eta_ms };
      this.#file.change(
        `UPDATE jobs SET state = @state, record = @record, ended_ms = @ended,
         owner = iif(@ended IS NULL, owner, NULL) WHERE id = @id`,
        { id, state, record: JSON.stringify(record), ended: ended ? now : null },
      );
      if (ended) this.#prune();
      return this.get(id);
    });
    if (after === undefined || after.endedMs !== null) runningHere.delete(id);
    return after;
  }

  /** Replaces the record of a job that runs. False if it has ended. */
  report(id: string, record: JobRecord): boolean {
    const sql = 'UPDATE jobs SET record = @record WHERE id = @id AND ended_ms IS NULL';
    return this.#file.change(sql, { id, record: JSON.stringify(record) }) === 1;
  }

  /** Notes the first request to cancel a job that runs. */
  requestCancel(id: string, now: number): void {
    this.#file.change(
      `UPDATE jobs SET cancel_ms = @now
       WHERE id = @id AND ended_ms IS NULL AND cancel_ms IS NULL`,
      { id, now },
    );
  }

  /** Removes the record of a job that has ended. */
  remove(id: string): void {
    this.#file.change('DELETE FROM jobs WHERE id = @id AND ended_ms IS NOT NULL', { id });
  }

  /** Says that this thread does not run a job any more, whether its end is on record or not. */
  abandon(id: string): void {
    runningHere.delete(id);
  }

  /** Keeps the newest records of jobs that have ended, and those that can be continued. */
  #prune(): void {
    this.#file.change(
      `DELETE FROM jobs WHERE ended_ms IS NOT NULL AND number NOT IN (
         SELECT number FROM jobs WHERE ended_ms IS NOT NULL ORDER BY number DESC LIMIT @most)
       AND id NOT IN (SELECT job_id FROM generations WHERE job_id IS NOT NULL)`,
      { most: this.#most },
    );
  }
}

/**
 * True if the process that runs a job is known to be gone, or this thread does not run it any more.
 * A job of another host counts as running.
 */
export function isOrphaned({ id, owner }: RegisteredJob): boolean {
  if (owner === null || isGone(owner)) return true;
  const here = thisProcess();
  const own = owner.pid === here.pid && owner.host === here.host && owner.thread === threadId;
  return own && !runningHere.has(id);
}

interface Row {
  readonly id: string;
  readonly uuid: string;
  readonly name: string;
  readonly kind: JobKind;
  readonly state: JobState;
  readonly owner: string | null;
  readonly created_ms: number;
  readonly ended_ms: number | null;
  readonly cancel_ms: number | null;
  readonly resumable: number;
  readonly record: string;
}

function fromRow(row: Row): RegisteredJob {
  const { id, uuid, name: index, kind, state } = row;
  const { created_ms: createdMs, ended_ms: endedMs, cancel_ms: cancelMs } = row;
  return {
    ...{ id, uuid, index, kind, state, createdMs, endedMs, cancelMs },
    owner: row.owner === null ? null : (JSON.parse(row.owner) as JobOwner),
    resumable: row.resumable === 1 && endedMs !== null,
    record: JSON.parse(row.record) as JobRecord,
  };
}
