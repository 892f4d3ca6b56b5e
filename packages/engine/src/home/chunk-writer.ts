import { hash } from 'node:crypto';
import { damaged, inStore } from '../source/store-errors.ts';
import type { BackupChunk } from './manifest.ts';
import { chunkKey, type Repository } from './repository.ts';

/** Chunks that are written at the same time. */
const AT_ONCE = 4;

/** Writes the chunks that a repository lacks, a few at a time. */
export class ChunkWriter {
  readonly #repository: Repository;
  /** Lengths of the chunks in the repository by SHA-256. */
  readonly #lengths: Map<string, number>;
  readonly #signal: AbortSignal | undefined;
  readonly #running = new Set<Promise<void>>();
  #copied = 0;
  #fault: { readonly error: unknown } | null = null;

  constructor(repository: Repository, lengths: Map<string, number>, signal?: AbortSignal) {
    this.#repository = repository;
    this.#lengths = lengths;
    this.#signal = signal;
  }

  /** Bytes that the repository lacked. */
  get copied(): number {
    return this.#copied;
  }

  /** Whether the repository has these chunks, with their lengths. */
  has(chunks: readonly BackupChunk[]): boolean {
    return chunks.every(({ sha256, length }) => this.#lengths.get(sha256) === length);
  }

  /** Adds a chunk; `bytes` must not change afterwards. Throws the error of an earlier one. */
  async add(bytes: Uint8Array): Promise<BackupChunk> {
    const chunk = { sha256: hash('sha256', bytes), length: bytes.length };
    if (this.has([chunk])) return chunk;
    const replace = this.#lengths.has(chunk.sha256);
    this.#lengths.set(chunk.sha256, chunk.length);
    this.#copied += chunk.length;
    while (this.#running.size >= AT_ONCE) await Promise.race(this.#running);
    this.#throwFault();
    const writing: Promise<void> = this.#write(chunk, bytes, replace)
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => this.#running.delete(writing));
    this.#running.add(writing);
    return chunk;
  }

  /** Ends when all chunks are written. Throws the first error. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFault();
  }

  #throwFault(): void {
    if (this.#fault !== null) throw this.#fault.error;
  }

  /** A chunk of another length is damaged, and replaced. */
  async #write({ sha256, length }: BackupChunk, bytes: Uint8Array, replace: boolean) {
    const { store, place } = this.#repository;
    const key = chunkKey(sha256);
    const signal = this.#signal;
    const condition = replace ? {} : ({ condition: 'absent' } as const);
    const put = await inStore(() => store.put(key, bytes, { ...condition, signal }));
    if (put !== 'refused') return;
    const there = await inStore(() => store.head(key, signal));
    if (there?.size !== length) throw damaged(`${place}/${key}`, 'it changes while it is written');
  }
}
