/**
 * Bodies of requests, whatever the method: clients of the imitated engine send them with GET too.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Json, LhsError } from '@lakehouse-search/contract';
import { utf8Text } from '@lakehouse-search/contract/internal';
import type { FastifyRequest } from 'fastify';
import { exactJson } from '../base/exact-json.ts';
import { isJsonType } from '../base/media-type.ts';
import { clipped, RefusedDsl } from '../query/refusal.ts';

/** Bytes of a body, also after it has been inflated; `_msearch` has many searches. */
const BODY_BYTES = 8 * 1024 * 1024;

const inflated = promisify(gunzip);

/**
 * The text of a body; undefined: the request has none. The parameter `source` replaces it, for
 * proxies that drop bodies of GET. Throws for another type or encoding, and for a large one.
 */
export async function requestText(request: FastifyRequest): Promise<string | undefined> {
  const bytes = await bodyBytes(request);
  if (bytes.length === 0) return (request.query as { readonly source?: string }).source;
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (type === undefined || !isJsonType(type)) throw unknownType(type);
  const plain = encoding === undefined ? bytes : await decoded(bytes, encoding);
  return utf8Text(plain, 'the body').replace(/^\u{FEFF}/u, '');
}

/** The value of a body; undefined: there is none. Throws invalid_argument as `jsonValue`. */
export const requestJson = (text: string | undefined): Json | Promise<Json> | undefined =>
  text === undefined || !/\S/.test(text) ? undefined : exactJson(text, 'the body');

async function bodyBytes({ raw, headers }: FastifyRequest): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > BODY_BYTES) throw tooLarge();
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > BODY_BYTES) break;
      parts.push(part);
    }
  } catch (cause) {
    throw new LhsError('interrupted', 'the client went away before its body ended', { cause });
  }
  if (length > BODY_BYTES) throw tooLarge();
  return Buffer.concat(parts);
}

async function decoded(bytes: Buffer, encoding: string): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity') return bytes;
  if (name !== 'gzip') {
    throw new LhsError('invalid_argument', 'bodies are read as they are, or with gzip');
  }
  try {
    return await inflated(bytes, { maxOutputLength: BODY_BYTES });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new LhsError('invalid_argument', 'the body is no gzip', { cause });
  }
}

/** The status is that of the router for such a body. */
const tooLarge = (): Error =>
  Object.assign(new Error('the body is too large'), { statusCode: 413 });

function unknownType(type: string | undefined): RefusedDsl {
  const shown = type === undefined ? 'is missing' : `[${clipped(type)}] is not supported`;
  const reason = `Content-Type header ${shown}`;
  return new RefusedDsl({ status: 406, type: 'media_type_header_exception', reason });
}
