import { type SkippedRows as Answer, LhsError, type SkippedRow } from '@lakehouse-search/contract';
import type { Batch } from '@lakehouse-search/lake';
import { LIMITS } from '../../base/limits.ts';
import { goodRows } from '../../documents/bad-rows.ts';
import type { Commit, CommittedSkips } from '../../index/commits/commit.ts';
import { type DataFile, type DataFiles, dataFiles } from '../../index/commits/data-files.ts';
import type { Mapping } from '../../schema/mapping.ts';

/** Skipped rows of a part of a table: reasons of the first, positions by number of the data file. */
export interface SkippedPart {
  readonly first: CommittedSkips['first'];
  readonly files: readonly (readonly [file: number, positions: readonly number[]])[];
}

/**
 * The rows of an index's snapshot that have no document because they cannot become one, by place: a
 * commit's, changed by what is read and removed after it.
 */
export class SkippedRows {
  /** Positions by number of the data file. */
  readonly #positions = new Map<number, Set<number>>();
  #first: CommittedSkips['first'] = [];
  #count = 0;

  constructor(former: Pick<Commit, 'skipped' | 'files'> | null) {
    if (former?.skipped === undefined) return;
    this.#first = former.skipped.first;
    for (const [file, { skipped }] of former.files.all().entries()) {
      if (skipped !== undefined) this.#positions.set(file, new Set(skipped));
      this.#count += skipped?.length ?? 0;
    }
  }

  /**
   * The rows of a batch of data file `file` that can become documents; the others are recorded.
   * Throws limit_exceeded if there are too many.
   */
  goodRows(mapping: Mapping, batch: Batch, file: number): Batch {
    return goodRows(mapping, batch, (row, fault) => {
      const position = batch.positions[row];
      if (!this.#add(file, position)) return;
      if (this.#count > LIMITS.skippedRows) throw tooMany(mapping, fault().reason);
      if (this.#first.length >= LIMITS.skippedRowsShown) return;
      const { key, reason } = fault();
      const own = { file, position, ...(key === undefined ? {} : { key }), reason };
      this.#first = [...this.#first, own];
    });
  }

  /** The table has no rows at these positions any more; null: at none of the file. */
  remove(file: number, positions: Int32Array | null): void {
    const own = this.#positions.get(file);
    if (own === undefined) return;
    const before = own.size;
    if (positions === null) own.clear();
    else for (const position of positions) own.delete(position);
    this.#count -= before - own.size;
    if (own.size === 0) this.#positions.delete(file);
    this.#first = this.#first.filter((row) => row.file !== file || own.has(row.position));
  }

  /** Positions in a data file, ascending. */
  positionsIn(file: number): Int32Array {
    return Int32Array.from(this.#positions.get(file) ?? []).sort();
  }

  /** The rows of a part of the table, for `take`. */
  part(): SkippedPart {
    const files = [...this.#positions.keys()];
    return { first: this.#first, files: files.map((file) => [file, [...this.positionsIn(file)]]) };
  }

  /** Adds the rows of a part of the table. Throws as `goodRows`. */
  take(mapping: Mapping, { first, files }: SkippedPart): void {
    for (const [file, positions] of files)
      for (const position of positions) this.#add(file, position);
    if (this.#count > LIMITS.skippedRows) throw tooMany(mapping, first[0].reason);
    this.#first = [...this.#first, ...first].slice(0, LIMITS.skippedRowsShown);
  }

  /** For a commit; null: there is none. */
  committed(): CommittedSkips | null {
    return this.#count === 0 ? null : { rows: this.#count, first: this.#first };
  }

  /** What a commit says of a data file. */
  at(file: number): Pick<DataFile, 'skipped'> {
    return this.#positions.has(file) ? { skipped: [...this.positionsIn(file)] } : {};
  }

  /** Data files with these rows instead of others. */
  in(files: DataFiles): DataFiles {
    const all = files.all().map(({ path, entries }, file) => ({ path, entries, ...this.at(file) }));
    return dataFiles(all, files);
  }

  /** False if it was there already. */
  #add(file: number, position: number): boolean {
    const own = this.#positions.get(file) ?? new Set<number>();
    if (own.has(position)) return false;
    this.#positions.set(file, own.add(position));
    this.#count++;
    return true;
  }
}

/** Number of rows of a commit's snapshot that were skipped. */
export const skippedCount = ({ skipped }: Pick<Commit, 'skipped'>): number => skipped?.rows ?? 0;

/** What a response says of the rows that a commit skips. */
export function skippedPart({ skipped, files }: Pick<Commit, 'skipped' | 'files'>): Answer {
  if (skipped === undefined) return {};
  const first_skipped_rows = skipped.first.map(
    ({ file, ...row }): SkippedRow => ({ ...row, file: files.at(file).path }),
  );
  return { skipped_rows: skippedCount({ skipped }), first_skipped_rows };
}

function tooMany({ definition }: Mapping, reason: string): LhsError {
  const message = `more than ${LIMITS.skippedRows} rows cannot be indexed; the last one: ${reason}`;
  return new LhsError('limit_exceeded', message, {
    hint: 'change the field of the definition, or mend the table',
    details: { index: definition.index },
  });
}
