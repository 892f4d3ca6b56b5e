import { createWriteStream } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { LakeError } from '../../base/errors.ts';
import { writeFault } from '../../base/files/write-fault.ts';
import { knownLog } from '../convert/log-rows.ts';
import type { Compression, InputFiles, InputKind } from './input-files.ts';

/** Writes rows as NDJSON into a folder. Throws disk_full, permission_denied. */
export async function receiveRows(
  rows: readonly Readonly<Record<string, unknown>>[],
  folder: string,
): Promise<InputFiles> {
  const path = join(folder, 'rows.ndjson');
  const text = rows.map((row) => `${JSON.stringify(row, exact)}\n`).join('');
  await writeFile(path, text).catch((error: unknown) => Promise.reject(writeFault(path, error)));
  return { files: [{ path, compression: null, shown: 'the rows' }], kind: 'json' };
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
  { stream, name = 'standard input' }: { readonly stream: Readable; readonly name?: string },
  kind: InputKind | undefined,
  folder: string,
  signal?: AbortSignal,
): Promise<InputFiles> {
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
  const seen = seenIn(Buffer.concat(head).subarray(0, HEAD_BYTES), kind);
  const named = `${path}.${seen.kind}${ENDINGS[seen.compression ?? 'none']}`;
  await rename(path, named);
  const { compression } = seen;
  return { files: [{ path: named, compression, shown: name }], kind: seen.kind };
}

function seenIn(
  head: Buffer,
  given: InputKind | undefined,
): { readonly kind: InputKind; readonly compression: Compression | null } {
  const compression = compressionOf(head);
  const kind = given ?? kindOf(unpacked(head, compression));
  if (kind === 'parquet' && compression !== null) {
    throw refuse('it is a compressed Parquet file; decompress it first');
  }
  return { kind, compression };
}

function compressionOf(head: Buffer): Compression | null {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  return head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : null;
}

/** The first bytes of formats that have such. */
const MAGIC: readonly (readonly [string, InputKind])[] = [
  ['PAR1', 'parquet'],
  ['ARROW1', 'arrow'],
  ['\xff\xff\xff\xff', 'arrow'],
  ['Obj\x01', 'avro'],
];

function kindOf(head: Buffer): InputKind {
  const start = head.toString('latin1', 0, 6);
  const known = MAGIC.find(([bytes]) => start.startsWith(bytes));
  if (known !== undefined) return known[1];
  if (start.startsWith('PK\x03\x04')) return head.includes('xl/') ? 'xlsx' : 'zip';
  const text = head.toString('utf8');
  if (/^\ufeff?\s*[{[]/.test(text)) return 'json';
  // without the last line, which may be cut off
  const lines = text.split(/\r?\n/).slice(0, -1);
  return knownLog(lines.filter((line) => line !== '')) === null ? 'csv' : 'lines';
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
