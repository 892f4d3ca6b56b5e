import { tmpdir } from 'node:os';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { LakeError } from '../../base/errors.ts';
import { WorkFolder } from '../../base/files/work-folder.ts';
import { LIMITS } from '../../base/limits.ts';
import { nodeApi } from './library.ts';
import { quoteText } from './quoting.ts';

/** What one DuckDB may use. */
export interface DuckDbLimits {
  /** Files that it may read: absolute local paths. */
  readonly reads: readonly string[];
  readonly threads: number;
  readonly memoryBytes: number;
  readonly spillBytes: number;
  /**
   * The folder in which it may write and spill. Without one it may write nowhere, and spills into
   * a folder of its own in the system's temporary folder (nowhere if that cannot be created).
   */
  readonly folder?: WorkFolder;
}

/** A DuckDB with everything that it owns. */
export interface OpenDuckDb {
  readonly instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
  /** Runs calls of the instance. Throws internal if it is closed. */
  use<T>(calls: () => Promise<T>): Promise<T>;
  /**
   * Interrupts the calls that run. As soon as none runs, frees the instance and deletes its spilled
   * data: an instance that is freed under a call crashes the process.
   */
  close(): void;
}

/**
 * Opens a DuckDB in memory, locked to its files. Every use of DuckDB goes through here:
 *
 * 1. memory and spilled bytes are limited; the spill folder is deleted when the instance closes
 *    (after a crash: by the next one, see `WorkFolder`);
 * 2. `allowed_paths` and `allowed_directories`, then `enable_external_access` off: no other file,
 *    no network, no `ATTACH`, no `COPY TO` elsewhere, no `INSTALL`; extensions are neither
 *    installed nor loaded automatically;
 * 3. `lock_configuration`, so that no statement can change any of it.
 */
export async function openDuckDb(limits: DuckDbLimits): Promise<OpenDuckDb> {
  const own = limits.folder === undefined ? temporaryFolder() : undefined;
  const spill = (limits.folder ?? own)?.path;
  try {
    const instance = await nodeApi().DuckDBInstance.create(':memory:', {
      threads: String(limits.threads),
      memory_limit: `${Math.floor(limits.memoryBytes / 1024)}KiB`,
      temp_directory: spill === undefined ? '' : `${spill}/spill`,
      max_temp_directory_size: `${Math.floor(limits.spillBytes / 1024)}KiB`,
    });
    const connection = await instance.connect();
    await connection.run(lockStatements(limits));
    const free = () => {
      connection.closeSync();
      instance.closeSync();
      own?.remove();
    };
    return { instance, connection, ...freedWhenIdle(connection, free) };
  } catch (error) {
    own?.remove();
    throw error;
  }
}

/** A statement that begins after an interrupt is not stopped by it, so interrupts are repeated. */
const INTERRUPT_MS = 20;

/** `use` and `close` of an OpenDuckDb; `free` runs once, when it is closed and no call runs. */
function freedWhenIdle(
  connection: DuckDBConnection,
  free: () => void,
): Pick<OpenDuckDb, 'use' | 'close'> {
  let running = 0;
  let isClosed = false;
  let interrupts: NodeJS.Timeout | undefined;
  return {
    async use(calls) {
      if (isClosed) throw new LakeError('internal', 'this DuckDB is closed');
      running++;
      try {
        return await calls();
      } finally {
        running--;
        if (isClosed && running === 0) {
          clearInterval(interrupts);
          free();
        }
      }
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      if (running === 0) return free();
      connection.interrupt();
      interrupts = setInterval(() => connection.interrupt(), INTERRUPT_MS);
    },
  };
}

function lockStatements({ reads, folder }: DuckDbLimits): string {
  const writes = folder === undefined ? [] : [`${folder.path}/`];
  const isFollowed = folder !== undefined;
  return `SET autoinstall_known_extensions=false; SET autoload_known_extensions=false;
    SET preserve_insertion_order=true; SET TimeZone='UTC';
    SET partitioned_write_max_open_files=${LIMITS.openPartitionFiles};
    SET partitioned_write_flush_threshold=${LIMITS.bufferedPartitionRows};
    SET enable_progress_bar=${isFollowed}; SET enable_progress_bar_print=false;
    SET allowed_paths=[${reads.map(quoteText).join(', ')}];
    SET allowed_directories=[${writes.map(quoteText).join(', ')}];
    SET enable_external_access=false; SET lock_configuration=true`;
}

/** Reading must not fail if there is no temporary folder: it then runs without spilling. */
function temporaryFolder(): WorkFolder | undefined {
  try {
    return WorkFolder.openIn(tmpdir());
  } catch {
    return undefined;
  }
}
