import type { JobKind, JobState } from '@lakehouse-search/contract';
import { type JobEvent, nextJobState } from '@lakehouse-search/contract/internal';
import { type ColumnValue, firstRow, type Statements } from './database.ts';

/** What a job shows besides its state, as JSON. */
export interface ClusterJobRecord {
  readonly shards: readonly {
    readonly shard: number;
    readonly docs_done: number;
    readonly docs_total: number;
    readonly generation: number;
  }[];
  readonly snapshot?: string;
  /** Of a job that is done. */
  readonly result?: unknown;
  /** Of a job that failed. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details: Readonly<Record<string, unknown>>;
  };
}

/** A job over all shards of an index. */
export interface ClusterJob {
  readonly id: string;
  readonly index: string;
  readonly kind: JobKind;
  readonly state: JobState;
  /** The generation that it builds: greater than every former one of the index. */
  readonly generation: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly record: ClusterJobRecord;
  /** Epoch of the leader that runs it. */
  readonly epoch: number;
  readonly cancelMs: number | null;
  readonly createdMs: number;
  readonly endedMs: number | null;
}

interface JobRow {
  readonly id: string;
  readonly index_name: string;
  readonly kind: JobKind;
  readonly state: JobState;
  readonly generation: number;
  readonly request: string;
  readonly record: string;
  readonly epoch: number;
  readonly cancel_ms: number | null;
  readonly created_ms: number;
  readonly ended_ms: number | null;
}

/** Ended jobs that remain. */
const REMEMBERED = 100;
const ENDED: ReadonlySet<JobState> = new Set(['done', 'failed', 'canceled']);

/** The jobs of a cluster. An index has one that has not ended, at most. */
export class ClusterJobs {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /**
   * Adds a pending job for the leader of an epoch; undefined while another one of the index runs.
   */
  async add(
    id: string,
    { index, kind, request, epoch }: Pick<ClusterJob, 'index' | 'kind' | 'request' | 'epoch'>,
  ): Promise<ClusterJob | undefined> {
    const sql = `INSERT INTO cluster_jobs
      (id, index_name, kind, state, generation, request, record, epoch, created_ms)
      SELECT $1, $2, $3, 'pending', 1 + max(last.generation), $4, '{"shards":[]}',
        CAST($5 AS BIGINT), {{now}}
      FROM (SELECT coalesce(max(generation), 0) AS generation FROM routes WHERE index_name = $2
        UNION ALL SELECT coalesce(max(generation), 0) FROM cluster_jobs WHERE index_name = $2
      ) AS last
      WHERE NOT EXISTS (SELECT 1 FROM cluster_jobs WHERE index_name = $2 AND ended_ms IS NULL)
      HAVING count(*) > 0
      ON CONFLICT DO NOTHING RETURNING *`;
    const values = [id, index, kind, JSON.stringify(request), epoch];
    const job = await this.#first(sql, values);
    if (job !== undefined) await this.#sweep();
    return job;
  }

  get(id: string): Promise<ClusterJob | undefined> {
    return this.#first('SELECT * FROM cluster_jobs WHERE id = $1', [id]);
  }

  /** The newest first; `running`: those that have not ended. */
  async list({ running = false } = {}): Promise<readonly ClusterJob[]> {
    const which = running ? 'WHERE ended_ms IS NULL' : '';
    const sql = `SELECT * FROM cluster_jobs ${which} ORDER BY number DESC`;
    return (await this.#statements.rows<JobRow>(sql)).map(fromRow);
  }

  /** Moves a job of the leader on; the job as it is then. A job that has ended never changes. */
  async apply(
    id: string,
    event: JobEvent,
    changes: Partial<ClusterJobRecord> = {},
  ): Promise<ClusterJob | undefined> {
    const job = await this.get(id);
    if (job === undefined || job.endedMs !== null) return job;
    const state = nextJobState(job.state, event);
    const hasEnded = ENDED.has(state);
    const ended = hasEnded ? '{{now}}' : 'NULL';
    // the request of an erasure names the rows that are gone
    const request = hasEnded && job.kind === 'erase' ? "'{}'" : 'request';
    const sql = `UPDATE cluster_jobs
      SET state = $2, record = $3, ended_ms = ${ended}, request = ${request}
      WHERE id = $1 AND state = $4 AND ended_ms IS NULL RETURNING *`;
    const record = JSON.stringify({ ...job.record, ...changes });
    return this.#first(sql, [id, state, record, job.state]);
  }

  /** Stores the progress of a job that has not ended. */
  async progress(id: string, record: ClusterJobRecord): Promise<void> {
    const sql = 'UPDATE cluster_jobs SET record = $2 WHERE id = $1 AND ended_ms IS NULL';
    await this.#statements.run(sql, [id, JSON.stringify(record)]);
  }

  /** Requests the cancellation of a job; one that has ended stays as it is. */
  async requestCancel(id: string): Promise<void> {
    const sql = `UPDATE cluster_jobs SET cancel_ms = coalesce(cancel_ms, {{now}})
      WHERE id = $1 AND ended_ms IS NULL`;
    await this.#statements.run(sql, [id]);
  }

  /** Forgets what an ended job was about; its number stays. False if there is none. */
  async forget(id: string): Promise<boolean> {
    const sql = `UPDATE cluster_jobs SET request = '{}', record = '{"shards":[]}'
      WHERE id = $1 AND ended_ms IS NOT NULL`;
    return (await this.#statements.run(sql, [id])) === 1;
  }

  async #first(sql: string, values: readonly ColumnValue[]): Promise<ClusterJob | undefined> {
    const row = await firstRow<JobRow>(this.#statements, sql, values);
    return row === undefined ? undefined : fromRow(row);
  }

  async #sweep(): Promise<void> {
    const sql = `DELETE FROM cluster_jobs WHERE ended_ms IS NOT NULL AND number <=
      (SELECT max(number) FROM cluster_jobs) - $1
      AND generation < (SELECT max(generation) FROM cluster_jobs AS newer
        WHERE newer.index_name = cluster_jobs.index_name)`;
    await this.#statements.run(sql, [REMEMBERED]);
  }
}

function fromRow(row: JobRow): ClusterJob {
  const { id, index_name: index, kind, state, generation, epoch } = row;
  return {
    ...{ id, index, kind, state, generation, epoch },
    request: JSON.parse(row.request),
    record: JSON.parse(row.record),
    cancelMs: row.cancel_ms,
    createdMs: row.created_ms,
    endedMs: row.ended_ms,
  };
}
