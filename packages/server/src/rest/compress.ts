import { promisify } from 'node:util';
import { constants, gzip, zstdCompress } from 'node:zlib';
import { inTurns } from '@lakehouse-search/engine/internal';
import type { FastifyReply } from 'fastify';

/** Smaller bodies gain nothing. */
const LEAST_BYTES = 1400;
/** Characters that one step encodes. */
const STEP_CHARS = 2 ** 20;
const gzipped = promisify(gzip);
const zstdCompressed = promisify(zstdCompress);
/** Fast levels: the processor is dearer than the network of a data centre. */
const GZIP = { level: 1 };
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** The encodings of responses. */
type Encoding = 'gzip' | 'zstd';

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

/** Sends a text as bytes, which are made in several turns of the event loop if there are many. */
export async function sendBytes(
  reply: FastifyReply,
  text: string,
  encoding: Encoding | undefined,
): Promise<FastifyReply> {
  const bytes = await inTurns(encodingUtf8(text));
  if (encoding === undefined) return reply.send(bytes);
  reply.header('content-encoding', encoding).header('vary', 'accept-encoding');
  return reply.send(await compressed(bytes, encoding));
}

const compressed = (bytes: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'gzip' ? gzipped(bytes, GZIP) : zstdCompressed(bytes, ZSTD);

/** The UTF-8 bytes of a text, in steps. */
function* encodingUtf8(text: string): Generator<void, Buffer, undefined> {
  const parts: Buffer[] = [];
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + STEP_CHARS, text.length);
    if (isHighSurrogate(text.charCodeAt(to - 1))) to++;
    parts.push(Buffer.from(text.slice(from, to)));
    yield;
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
