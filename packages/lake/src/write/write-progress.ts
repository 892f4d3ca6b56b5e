import type { DuckDBConnection } from '@duckdb/node-api';
import type { InputReading } from './input/input.ts';
import type { InputNote } from './input/input-notes.ts';

/** How far a write is. */
export interface WriteProgress {
  /**
   * `receiving`: a stream is copied to disk. `reading`: the types of a text input are found out.
   * `writing`: data files are written. `keys`: keys are compared with each other and the table's.
   * `uploading`: data files are sent to an object store.
   */
  readonly phase: 'receiving' | 'reading' | 'writing' | 'keys' | 'uploading';
  /** 0 to 1. */
  readonly share: number;
  /** Rows of the whole input; 0 while that is not known. */
  readonly rows: number;
}

/** Progress listener, abort signal and limits of a write. */
export interface WriteWatch {
  /** Called once with how an input was read. */
  readonly onRead?: (reading: InputReading) => void;
  /** Called for each fact about the input that its reader should know. */
  readonly onNote?: (note: InputNote) => void;
  /**
   * Memory of the DuckDB that writes; more is spilled beside the data. Default: 768 MiB, or half
   * of the memory that the process may use if that is less.
   */
  readonly memoryBytes?: number;
  /** Called as the write goes on. */
  readonly onProgress?: (progress: WriteProgress) => void;
  /** An abort rejects with AbortError and leaves nothing behind. */
  readonly signal?: AbortSignal;
}

const POLL_MS = 100;

/**
 * Runs `work` on a connection. While it runs, `onShare` gets the share of the query that DuckDB
 * has done, and an abort interrupts it.
 */
export async function watched<T>(
  connection: DuckDBConnection,
  signal: AbortSignal | undefined,
  onShare: ((share: number) => void) | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const stop = () => connection.interrupt();
  signal?.addEventListener('abort', stop, { once: true });
  const timer =
    onShare &&
    setInterval(() => {
      const { percentage } = connection.progress;
      if (percentage > 0) onShare(Math.min(1, percentage / 100));
    }, POLL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', stop);
  }
}
