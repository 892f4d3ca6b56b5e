import { createReadStream } from 'node:fs';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { LakeError } from '../../base/errors.ts';
import type { InputFile } from './input-files.ts';

/**
 * The bytes of an input file, decompressed, part by part. Throws invalid_argument if compressed
 * data is damaged or cut off.
 */
export async function* inputBytes({ path, compression, shown }: InputFile): AsyncGenerator<Buffer> {
  const raw = createReadStream(path, { highWaterMark: 256 * 1024 });
  if (compression === null) {
    yield* raw as AsyncIterable<Buffer>;
    return;
  }
  const unpack = compression === 'gzip' ? createGunzip() : createZstdDecompress();
  raw.on('error', (error) => unpack.destroy(error));
  try {
    yield* raw.pipe(unpack) as AsyncIterable<Buffer>;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `cannot read ${shown}: it cannot be decompressed (${why})`;
    throw new LakeError('invalid_argument', message, { file: path, cause });
  } finally {
    raw.destroy();
  }
}

/** Reads compressed files to their end: DuckDB takes a file that was cut off for a whole one. */
export async function checkCompressed(
  files: readonly InputFile[],
  signal?: AbortSignal,
): Promise<void> {
  for (const file of files) {
    if (file.compression === null) continue;
    for await (const _ of inputBytes(file)) signal?.throwIfAborted();
  }
}
