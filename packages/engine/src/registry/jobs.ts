/**
 * Durable job records, one row per job. `number` grows with each job. `state` changes by the table
 * of the contract alone, in one transaction each. `owner` is the process that runs the job (JSON;
 * null after its end), `cancel_ms` the time at which cancellation was requested, `record` the rest
 * (JSON): progress, result, error. `name` names the index that a restore makes; the others have the
 * name of their index. A unique index allows one running build per index (`BUILD_KINDS`).
 */
import { randomUUID } from 'node:crypto';
import { threadId } from 'node:worker_threads';
import type { Job, JobKind, JobResults, JobState } from '@lakehouse-search/contract';
import {
  BUILD_KINDS,
  ENDED_JOB_STATES,
  type JobEvent,
  nextJobState,
} from '@lakehouse-search/contract/internal';
import { LIMITS } from '../base/limits.ts';
import { isGone, type ProcessIdentity, thisProcess } from '../base/process-identity.ts';
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
  | 'shards'
  | 'windows'
  | 'as_of'
  | 'phase'
  | 'snapshot'
  | 'bytes'
  | 'bytes_done'
  | 'bytes_total'
  | 'eta_ms'
  | 'error'
> & {
  readonly result?: JobResults[JobKind] | undefined;
  /** The generation that becomes live, and the one that was; null: none, or it is damaged. */
  readonly cutover?: { readonly from: number | null; readonly to: number } | undefined;
  readonly redefines?: Redefinition | undefined;
};

/** What the record of a job holds from its start. */
export interface FirstRecord extends Pick<JobRecord, 'redefines'> {
  readonly as_of?: string | undefined;
  /** The name of an index that the job makes: it is not registered yet. */
  readonly makes?: string | undefined;
  /** The generation that the job works on, unless it builds one. */
  readonly generation?: number | undefined;
}

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

const SELECT = `SELECT jobs.*, coalesce(indexes.name, jobs.name) AS named, EXISTS (SELECT 1
  FROM generations WHERE job_id = jobs.id AND until_ms IS NOT NULL) AS resumable
  FROM jobs LEFT JOIN indexes USING (uuid)`;

/** The kinds that replace generations, as SQL. */
const BUILDS = `(${[...BUILD_KINDS].map((kind) => `'${kind}'`).join(', ')})`;

const NOTHING_DONE = Object.freeze({ shard: 0, docs_done: 0, docs_total: 0 });

/** Jobs that this thread runs: their rows have its process as owner. */
const runningHere = new Set<string>();

/** Several processes may share the file. */
export class Jobs {
  readonly #file: RegistryFile;

  constructor(file: RegistryFile) {
    this.#file = file;
  }

  /**
   * Adds a job of this process, in the state `pending`. Null if the index is gone, or if the job
   * and one that runs on the index already are both builds.
   */
  start(
    uuid: string,
    kind: JobKind,
    now: number,
    { as_of, redefines, makes, generation }: FirstRecord = {},
  ): RegisteredJob | null {
    const id = randomUUID();
    const owner: JobOwner = { ...thisProcess(), thread: threadId };
    const record: JobRecord = {
      shards: generation === undefined ? [] : [{ ...NOTHING_DONE, generation }],
      ...(as_of === undefined ? {} : { as_of }),
      ...(redefines === undefined ? {} : { redefines }),
    };
    runningHere.add(id);
    const added = this.#file.change(
      `INSERT INTO jobs (id, uuid, name, kind, state, owner, created_ms, record)
       SELECT @id, @uuid, @makes, @kind, 'pending', @owner, @now, @record
       WHERE @makes IS NOT NULL OR EXISTS (SELECT 1 FROM indexes WHERE uuid = @uuid)
       ON CONFLICT DO NOTHING`,
      {
        ...{ id, uuid, makes: makes ?? null, kind, now },
        owner: JSON.stringify(owner),
        record: JSON.stringify(record),
      },
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

  /** The job that replaces the generation of an index now. */
  build(uuid: string): RegisteredJob | undefined {
    const sql = `${SELECT} WHERE ended_ms IS NULL AND jobs.uuid = @uuid AND kind IN ${BUILDS}`;
    const row = this.#file.get<Row>(sql, { uuid });
    return row === undefined ? undefined : fromRow(row);
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

  /** Ends a job whose work is done and which puts no generation in force; as `apply`. */
  complete(id: string, now: number, result: JobResults[JobKind]): RegisteredJob | undefined {
    return this.#file.exclusively(() => {
      this.apply(id, 'build_finished', now);
      return this.apply(id, 'cutover_finished', now, { result });
    });
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
      { most: LIMITS.endedJobs },
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
  readonly named: string;
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
  const { id, uuid, named: index, kind, state } = row;
  const { created_ms: createdMs, ended_ms: endedMs, cancel_ms: cancelMs } = row;
  return {
    ...{ id, uuid, index, kind, state, createdMs, endedMs, cancelMs },
    owner: row.owner === null ? null : (JSON.parse(row.owner) as JobOwner),
    resumable: row.resumable === 1 && endedMs !== null,
    record: JSON.parse(row.record) as JobRecord,
  };
}
