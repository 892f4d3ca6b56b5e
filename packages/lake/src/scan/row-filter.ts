import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import type { Batch } from './batch.ts';
import { LockedDuckDb } from './duckdb/instance.ts';
import { bindings } from './duckdb/library.ts';
import { quoteName } from './duckdb/quoting.ts';
import { CHUNK_ROWS, stagedExpression, stageRows, stagingType } from './duckdb/staging.ts';
import type { WhereText } from './where.ts';

/**
 * Evaluates a condition over batches, in a DuckDB that can open no file. The condition sees the
 * values and types of the table's schema, independent of the reader of the rows.
 */
export class RowFilter {
  readonly #condition: WhereText;
  #db: LockedDuckDb | null = null;

  constructor(condition: WhereText) {
    this.#condition = condition;
  }

  /**
   * The rows of `batch` for which the condition is true, ascending. The batch's columns from
   * `first` on must be the condition's fields, in its order. Throws invalid_argument if DuckDB
   * refuses the condition.
   */
  async matching(batch: Batch, first: number): Promise<Int32Array> {
    const types = this.#condition.fields.map((field) => field.type);
    const columns = batch.columns.slice(first);
    const matching: number[] = [];
    try {
      const db = (this.#db ??= await this.#open());
      const appender = await db.connection.createAppender('staged');
      for (let from = 0; from < batch.rows; from += CHUNK_ROWS) {
        const to = Math.min(batch.rows, from + CHUNK_ROWS);
        appender.appendDataChunk(stageRows(columns, types, from, to));
      }
      appender.closeSync();
      const result = await db.guard(() => db.connection.run(this.#query()));
      const next = () => db.guard(() => result.fetchChunk());
      for (let chunk = await next(); chunk?.rowCount; chunk = await next()) {
        const vector = bindings().data_chunk_get_vector(chunk.chunk, 0);
        const data = bindings().vector_get_data(vector, chunk.rowCount * 4);
        matching.push(...new Int32Array(data.buffer, data.byteOffset, chunk.rowCount));
      }
      await db.guard(() => db.connection.run('TRUNCATE staged'));
    } catch (error) {
      this.close();
      throw refused(this.#condition, error);
    }
    return Int32Array.from(matching);
  }

  /** Frees the DuckDB instance. */
  close(): void {
    this.#db?.close();
    this.#db = null;
  }

  async #open(): Promise<LockedDuckDb> {
    const db = await LockedDuckDb.open([], {
      threads: 1,
      memoryBytes: LIMITS.filterMemoryBytes,
    });
    const columns = this.#condition.fields.map((f, i) => `c${i} ${stagingType(f.type)}`);
    const list = ['n INTEGER', ...columns].join(', ');
    await db.guard(() => db.connection.run(`CREATE TABLE staged (${list})`));
    return db;
  }

  #query(): string {
    const { fields, text } = this.#condition;
    const columns = fields.map(
      (field, i) => `${stagedExpression(field.type, `c${i}`)} AS ${quoteName(field.name)}`,
    );
    let number = 'row number';
    while (fields.some((field) => field.name.toLowerCase() === number)) number += '_';
    const list = [`n AS "${number}"`, ...columns].join(', ');
    return `SELECT "${number}" FROM (SELECT ${list} FROM staged) AS "rows"
      WHERE (\n${text}\n) ORDER BY 1`;
  }
}

function refused(condition: WhereText, cause: unknown): LakeError {
  const message = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1)[0];
  return new LakeError('invalid_argument', `condition "${condition.text}" failed: ${message}`, {
    cause,
  });
}
