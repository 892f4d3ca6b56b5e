import { LakeError } from '../base/errors.ts';
import { normalizeRecorded } from '../base/files/table-files.ts';
import { LIMITS } from '../base/limits.ts';
import type { DeleteFile, FileScan } from '../metadata/file-set.ts';
import { deleteKey } from '../plan/diff-file-sets.ts';
import { readDeletionVector } from '../puffin/deletion-vector.ts';
import { NO_POSITIONS, type PositionSet, unionPositions } from '../puffin/position-set.ts';
import type { ScanDuckDb } from './duckdb/pool.ts';
import { deadByEquality } from './equality-deletes.ts';
import { readPositionDeletes } from './position-deletes.ts';
import type { ReadContext } from './read-context.ts';

/**
 * Which rows of a data file are deleted: the union of its position deletes or deletion vector, and
 * of its equality deletes. Which delete files apply is already decided (plan/delete-index.ts).
 *
 * A delete file that is missing or damaged is an error, never an empty set: deleted rows must not
 * come back to life. Sets are kept per data file and its delete files, as many as fit into
 * `CACHED_POSITIONS`; so are position delete files, which may serve many data files.
 */
export class DeadRows {
  readonly #context: ReadContext;
  readonly #sets = new BoundedCache<PositionSet>((set) => set.size + 64);
  readonly #positionFiles = new BoundedCache<ReadonlyMap<string, PositionSet>>((file) =>
    file.values().reduce((sum, set) => sum + set.size + 64, 64),
  );

  constructor(context: ReadContext) {
    this.#context = context;
  }

  /**
   * The dead positions of a scan's data file, all below its record count: delete files may have
   * others, which delete nothing. `duckdb` reads the file if equality deletes ask for its values.
   */
  async of(scan: FileScan, duckdb: ScanDuckDb | null): Promise<PositionSet> {
    if (scan.deletes.length === 0) return NO_POSITIONS;
    const { path, recordCount } = scan.data;
    const key = [normalizeRecorded(path), recordCount, ...scan.deletes.map(deleteKey)].join('\n');
    return await this.#sets.get(key, () => this.#resolve(scan, duckdb));
  }

  async #resolve(scan: FileScan, duckdb: ScanDuckDb | null): Promise<PositionSet> {
    const sets: PositionSet[] = [];
    const equality: (DeleteFile & { readonly kind: 'equality' })[] = [];
    for (const file of scan.deletes) {
      if (file.kind === 'vector') sets.push(await this.#vector(file));
      else if (file.kind === 'position') sets.push(await this.#positions(file, scan.data.path));
      else equality.push(file);
    }
    if (equality.length > 0) {
      sets.push(await deadByEquality(this.#context, scan.data, equality, duckdb));
    }
    const dead = unionPositions(sets).below(scan.data.recordCount);
    if (dead.size <= LIMITS.deletedPositionsPerFile) return dead;
    throw new LakeError('limit_exceeded', `more than ${dead.size} rows are deleted`, {
      file: scan.data.path,
    });
  }

  async #vector(file: DeleteFile & { readonly kind: 'vector' }): Promise<PositionSet> {
    const { files } = this.#context;
    const { contentOffset, contentSize, recordCount } = file;
    const path = files.resolve(file.path);
    return readDeletionVector(files.store, path, contentOffset, contentSize, recordCount);
  }

  async #positions(
    file: DeleteFile & { readonly kind: 'position' },
    dataPath: string,
  ): Promise<PositionSet> {
    const byPath = await this.#positionFiles.get(normalizeRecorded(file.path), () =>
      readPositionDeletes(this.#context, file),
    );
    return byPath.get(normalizeRecorded(dataPath)) ?? NO_POSITIONS;
  }
}

/** Positions kept by each of the two caches: 64 MiB at most. */
const CACHED_POSITIONS = 16 * 1024 * 1024;

/**
 * Values by key, the least recently used dropped when their weights pass `CACHED_POSITIONS`.
 * Failures are not kept.
 */
class BoundedCache<T> {
  readonly #weigh: (value: T) => number;
  readonly #entries = new Map<string, { readonly value: Promise<T>; weight: number }>();
  #weight = 0;

  constructor(weigh: (value: T) => number) {
    this.#weigh = weigh;
  }

  async get(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return await known.value;
    }
    const entry = { value: make(), weight: 0 };
    this.#entries.set(key, entry);
    try {
      const value = await entry.value;
      entry.weight = this.#weigh(value);
      this.#weight += entry.weight;
      this.#shrink(key);
      return value;
    } catch (error) {
      this.#entries.delete(key);
      throw error;
    }
  }

  #shrink(keep: string): void {
    for (const [key, entry] of this.#entries) {
      if (this.#weight <= CACHED_POSITIONS) return;
      if (key === keep || entry.weight === 0) continue;
      this.#weight -= entry.weight;
      this.#entries.delete(key);
    }
  }
}
