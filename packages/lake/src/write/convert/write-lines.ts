import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { LakeError } from '../../base/errors.ts';
import { writeFault } from '../../base/files/write-fault.ts';

const BATCH_CHARS = 64 * 1024;

/** Writes lines into a new file. Throws the errors of `lines`, disk_full, AbortError. */
export async function writeLines(
  lines: AsyncIterable<string> | Iterable<string>,
  to: string,
  signal?: AbortSignal,
): Promise<void> {
  const batched = async function* () {
    let batch = '';
    for await (const line of lines) {
      batch += `${line}\n`;
      if (batch.length < BATCH_CHARS) continue;
      yield batch;
      batch = '';
    }
    yield batch;
  };
  await pipeline(batched, createWriteStream(to, { mode: 0o600 }), { signal }).catch(
    (error: NodeJS.ErrnoException) => {
      signal?.throwIfAborted();
      throw error instanceof LakeError || error.syscall === undefined
        ? error
        : writeFault(to, error);
    },
  );
}
