/**
 * Page compression by codec id (parquet-format Compression.md): 0 none, 1 snappy, 2 gzip, 4 brotli,
 * 5 lz4 as Hadoop frames it, 6 zstd, 7 lz4 raw. gzip, brotli and zstd are Node's own and run on its
 * thread pool for larger pages.
 */
import {
  brotliDecompress,
  brotliDecompressSync,
  gunzip,
  gunzipSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';
import { snappyDecompress } from '../../base/snappy.ts';
import { type FaultPlace, parquetFault, parquetUnsupported } from '../fault.ts';
import { lz4Decompress, lz4HadoopDecompress } from './lz4.ts';

const CODEC_NAMES = ['none', 'snappy', 'gzip', 'lzo', 'brotli', 'lz4', 'zstd', 'lz4_raw'];
const POOL_FROM_BYTES = 64 * 1024;
const CHUNK_MAX_BYTES = 8 * 1024 * 1024;

/**
 * The `size` uncompressed bytes of a page. Throws the file's `*_invalid` error, or `unsupported`.
 */
export async function decompress(
  codec: number,
  input: Uint8Array,
  size: number,
  place: FaultPlace,
): Promise<Uint8Array> {
  if (codec === 0) return exactly(input, input, size, codec, place);
  if (size === 0 && input.length === 0) return input;
  return exactly(input, await unpack(codec, input, size, place), size, codec, place);
}

async function unpack(
  codec: number,
  input: Uint8Array,
  size: number,
  place: FaultPlace,
): Promise<Uint8Array | null> {
  switch (codec) {
    case 1:
      return snappy(input, size);
    case 2:
      return native(gunzipSync, gunzip, input, size);
    case 4:
      return native(brotliDecompressSync, brotliDecompress, input, size);
    case 5:
      return lz4HadoopDecompress(input, size);
    case 6:
      return native(zstdDecompressSync, zstdDecompress, input, size);
    case 7:
      return lz4Decompress(input, size);
    default:
      throw parquetUnsupported(place, `codec "${CODEC_NAMES[codec] ?? codec}"`);
  }
}

function snappy(input: Uint8Array, size: number): Uint8Array | null {
  // a copy of three bytes makes at most 64: a larger claim is false, and is not worth its memory
  if (size > input.length * 64) return null;
  try {
    return snappyDecompress(input, size);
  } catch {
    return null;
  }
}

interface NativeOptions {
  readonly maxOutputLength: number;
  readonly chunkSize: number;
}
type NativeSync = (input: Uint8Array, options: NativeOptions) => Uint8Array;
type NativeAsync = (
  input: Uint8Array,
  options: NativeOptions,
  done: (error: Error | null, output: Uint8Array) => void,
) => void;

async function native(
  now: NativeSync,
  pooled: NativeAsync,
  input: Uint8Array,
  size: number,
): Promise<Uint8Array | null> {
  // one output chunk with room to spare, or zlib would allocate a second one to see the end
  const chunkSize = Math.min(size + 64, CHUNK_MAX_BYTES);
  const options = { maxOutputLength: Math.max(1, size), chunkSize };
  if (input.length < POOL_FROM_BYTES) {
    try {
      return now(input, options);
    } catch {
      return null;
    }
  }
  return new Promise((resolve) => {
    pooled(input, options, (error, output) => resolve(error === null ? output : null));
  });
}

function exactly(
  input: Uint8Array,
  output: Uint8Array | null,
  size: number,
  codec: number,
  place: FaultPlace,
): Uint8Array {
  if (output === null || output.length !== size) {
    throw parquetFault(
      place,
      `a page of ${input.length} bytes is not ${size} bytes of ${CODEC_NAMES[codec]}`,
    );
  }
  return output;
}
