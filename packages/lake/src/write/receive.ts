import { createWriteStream } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { LakeError } from '../base/errors.ts';
import { writeFault } from '../base/write-fault.ts';
import type { Compression, InputFile, InputFormat } from './input-files.ts';

/** Input that was copied to disk. */
interface Received {
  readonly files: readonly InputFile[];
  readonly format: InputFormat;
}

/** Writes rows as NDJSON into a folder. Throws disk_full, permission_denied. */
export async function receiveRows(
  rows: readonly Readonly<Record<string, unknown>>[],
  folder: string,
): Promise<Received> {
  const path = join(folder, 'rows.ndjson');
  const text = rows.map((row) => `${JSON.stringify(row, exact)}\n`).join('');
  await writeFile(path, text).catch((error: unknown) => Promise.reject(writeFault(path, error)));
  return { files: [{ path, compression: null }], format: 'json' };
}

const exact = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

/** DuckDB detects the format by the ending of a file. */
const ENDINGS = Object.freeze({ none: '', gzip: '.gz', zstd: '.zst' });

/** The beginning of a stream from which its format is seen. */
const HEAD_BYTES = 64 * 1024;

/**
 * Copies a stream into a folder: it is read twice. Its format and compression follow from its first
 * bytes. Throws invalid_argument if it is empty, disk_full, AbortError.
 */
export async function receiveStream(
  { stream, format }: { readonly stream: Readable; readonly format?: InputFormat },
  folder: string,
  signal?: AbortSignal,
): Promise<Received> {
  const path = join(folder, 'received');
  const head: Buffer[] = [];
  let bytes = 0;
  const noted = async function* (source: AsyncIterable<Buffer | string>) {
    for await (const part of source) {
      const buffer = Buffer.from(part);
      if (bytes < HEAD_BYTES) head.push(buffer);
      bytes += buffer.length;
      yield buffer;
    }
  };
  try {
    await pipeline(stream, noted, createWriteStream(path, { mode: 0o600 }), { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw writeFault(path, error);
  }
  if (bytes === 0) throw refuse('it is empty');
  const seen = formatOf(Buffer.concat(head).subarray(0, HEAD_BYTES), format);
  const named = `${path}.${seen.format}${ENDINGS[seen.compression ?? 'none']}`;
  await rename(path, named);
  return { files: [{ path: named, compression: seen.compression }], format: seen.format };
}

function formatOf(
  head: Buffer,
  given: InputFormat | undefined,
): { readonly format: InputFormat; readonly compression: Compression | null } {
  const compression = compressionOf(head);
  const format = given ?? formatOfText(unpacked(head, compression));
  if (format === 'parquet' && compression !== null) {
    throw refuse('it is a compressed Parquet file; decompress it first');
  }
  return { format, compression };
}

function compressionOf(head: Buffer): Compression | null {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  return head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : null;
}

function formatOfText(head: Buffer): InputFormat {
  if (head.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet';
  return /^\ufeff?\s*[{[]/.test(head.toString('utf8')) ? 'json' : 'csv';
}

/** The first bytes without their compression, as many as a cut-off beginning gives. */
function unpacked(head: Buffer, compression: Compression | null): Buffer {
  if (compression === null) return head;
  const unpack = compression === 'gzip' ? gunzipSync : zstdDecompressSync;
  try {
    return unpack(head, { finishFlush: compression === 'gzip' ? 2 : 1, maxOutputLength: 2 ** 28 });
  } catch (error) {
    throw refuse(`it cannot be decompressed (${(error as Error).message})`);
  }
}

function refuse(why: string): LakeError {
  return new LakeError('invalid_argument', `cannot read standard input: ${why}`);
}
