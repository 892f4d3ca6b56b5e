import { promisify } from 'node:util';
import { constants, gzip, zstdCompress } from 'node:zlib';

/** Smaller bodies gain nothing. */
const LEAST_BYTES = 1400;
const gzipped = promisify(gzip);
const zstdCompressed = promisify(zstdCompress);
/** Fast levels: the processor is dearer than the network of a data centre. */
const GZIP = { level: 1 };
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** The encodings of responses. */
export type Encoding = 'gzip' | 'zstd';

/** An encoding that the client accepts: zstd before gzip, none for small bodies. */
export function encodingFor(accepted: string | undefined, length: number): Encoding | undefined {
  if (accepted === undefined || length < LEAST_BYTES) return undefined;
  if (accepts(accepted, 'zstd')) return 'zstd';
  return accepts(accepted, 'gzip') ? 'gzip' : undefined;
}

/** Whether a header `Accept-Encoding` names an encoding. */
export function accepts(header: string, encoding: string): boolean {
  const entry = header
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .find((part) => part === encoding || part.startsWith(`${encoding};`));
  return entry !== undefined && !/;\s*q=0(\.0*)?$/.test(entry);
}

/** The compressed body. */
export function compress(body: string, encoding: Encoding): Promise<Buffer> {
  return encoding === 'gzip' ? gzipped(body, GZIP) : zstdCompressed(body, ZSTD);
}
