/**
 * The models of an index that is being written: each opened once, when it is first needed, with its
 * cache (embed/cache/), in `embeddings/` of the index's folder. A build and a sync may run at once:
 * the first of them locks the folder and appends, the other one only reads.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { CachedEmbedder } from '../../embed/cache/cached-embedder.ts';
import { EmbeddingCache } from '../../embed/cache/embedding-cache.ts';
import type { Embedder, ModelIdentity, OpenEmbedder } from '../../embed/embedder.ts';
import { leftLocks, lockIndex, type WriterLock } from '../../index/commits/writer-lock.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { ioError } from '../../storage/io-errors.ts';
import { makeFolder } from '../../storage/make-folder.ts';

/** The folder of an index's embedding caches. */
export const CACHE_FOLDER = 'embeddings';

/** Where models and their caches are. */
export interface ModelPlaces {
  readonly index: string;
  /** The index's folder. */
  readonly folder: string;
  /** The folder from which a definition's relative paths are taken. */
  readonly baseDir: string;
  readonly openEmbedder: OpenEmbedder;
  /** Throws when this process may no longer write the index. */
  readonly fence?: () => void;
}

/** The lock of the cache folder; null: another process or another writer of this one has it. */
type CacheLock = WriterLock | null;

interface OpenModel {
  readonly embedder: Embedder;
  readonly cached: CachedEmbedder;
}

/** Close it when done. */
export class ModelsInUse {
  readonly #places: ModelPlaces;
  readonly #open = new Map<string, Promise<OpenModel>>();
  /** By checksum: two names may be of one model, and a cache has one writer. */
  readonly #caches = new Map<string, EmbeddingCache>();
  #lock: CacheLock | undefined;

  constructor(places: ModelPlaces) {
    this.#places = places;
  }

  /**
   * The model of a VECTOR field that has one, behind its cache. Throws model_unavailable,
   * invalid_definition where it gives another number of dimensions, model_mismatch where it is not
   * the one of the plan's checksum.
   */
  async of(plan: FieldPlan): Promise<CachedEmbedder> {
    const { embedder, cached } = await this.#opened(plan);
    this.#check(plan, embedder.identity);
    return cached;
  }

  /** Who makes the vectors of a field. Throws as `of`. */
  async identity(plan: FieldPlan): Promise<ModelIdentity> {
    const { embedder } = await this.#opened(plan);
    this.#check(plan, embedder.identity);
    return embedder.identity;
  }

  /**
   * Every text of the index was requested: caches may drop others. Throws io_error,
   * disk_full.
   */
  async endBuild(): Promise<void> {
    const all = await Promise.all(this.#open.values());
    const inUse = all.map(({ embedder }) => embedder.identity);
    for (const cache of this.#caches.values()) cache.endBuild(inUse);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    const all = await Promise.allSettled(this.#open.values());
    this.#open.clear();
    for (const cache of this.#caches.values()) cache.close();
    this.#caches.clear();
    this.#lock?.release();
    this.#lock = undefined;
    for (const open of all) if (open.status === 'fulfilled') await open.value.embedder.close();
  }

  #opened({ vector }: FieldPlan): Promise<OpenModel> {
    const model = vector!.model!;
    let open = this.#open.get(model);
    if (open === undefined) {
      open = this.#openModel(model);
      this.#open.set(model, open);
    }
    return open;
  }

  async #openModel(model: string): Promise<OpenModel> {
    const { baseDir, openEmbedder } = this.#places;
    const embedder = await openEmbedder(model, baseDir);
    try {
      return { embedder, cached: new CachedEmbedder(embedder, this.#cacheOf(embedder.identity)) };
    } catch (error) {
      await embedder.close();
      throw error;
    }
  }

  #cacheOf(identity: ModelIdentity): EmbeddingCache {
    const { folder, fence } = this.#places;
    const open = this.#caches.get(identity.checksum);
    if (open !== undefined) return open;
    const home = join(folder, CACHE_FOLDER);
    this.#lock ??= lockCaches(home);
    const options = { fence, onlyReads: this.#lock === null };
    const cache = EmbeddingCache.open(home, identity, options);
    this.#caches.set(identity.checksum, cache);
    return cache;
  }

  #check({ name, vector }: FieldPlan, { checksum, dims }: ModelIdentity): void {
    if (dims !== vector!.dims) {
      const model = `model "${vector!.model}" gives ${dims} numbers`;
      throw new LhsError(
        'invalid_definition',
        `${model}; field "${name}" says dims: ${vector!.dims}`,
        {
          hint: `say dims: ${dims} in the definition`,
        },
      );
    }
    const built = vector!.checksum;
    if (built === undefined || built === checksum) return;
    const { index } = this.#places;
    const message =
      `model "${vector!.model}" is not the one that field "${name}" was built with: its ` +
      `checksum is ${short(checksum)}, the index's ${short(built)}`;
    throw new LhsError('model_mismatch', message, {
      hint: 'put the former model back, or build the index with this one',
      next: [{ step: 'reindex', index }],
      details: { field: name, model: vector!.model, found: checksum, expected: built },
    });
  }
}

/**
 * Locks the folder of caches, and removes what dead processes left of their locks; null: another
 * writer has the lock.
 */
export function lockCaches(home: string): CacheLock {
  makeFolder(home);
  try {
    const lock = lockIndex(home);
    for (const path of leftLocks(home)) rmSync(path, { force: true });
    return lock;
  } catch (error) {
    if (error instanceof LhsError && error.code === 'index_busy') return null;
    throw ioError(error, 'lock', home);
  }
}

const short = (checksum: string): string => `${checksum.slice(0, 12)}…`;
