import { zstdDecompressSync } from 'node:zlib';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { sendBytes } from './compress.ts';

/** Characters that are two or more bytes each; some are in two steps. */
const TEXT = ['a', 'é', '😀', '\ud800'].map((sign) => `x${sign.repeat(2 ** 20)}`);

describe('the bytes of a response', () => {
  it.each([undefined, 'zstd'] as const)('are all of a long text (%s)', async (encoding) => {
    const rest = fastify();
    rest.get('/:number', (request, reply) => {
      const { number } = request.params as { readonly number: number };
      return sendBytes(reply, TEXT[number], encoding);
    });
    for (const [number, text] of TEXT.entries()) {
      const { rawPayload } = await rest.inject(`/${number}`);
      const bytes = encoding === undefined ? rawPayload : zstdDecompressSync(rawPayload);
      expect(bytes.equals(Buffer.from(text))).toBe(true);
    }
  });
});
