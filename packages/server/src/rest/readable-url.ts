import { LhsError } from '@lakehouse-search/contract';
import type { FastifyInstance } from 'fastify';

/** Characters that a URL writes as they are. */
const PLAIN = /^[\x21-\x7e]*$/;

/**
 * Refuses URLs whose path or query is not UTF-8 with percent signs: decoders replace such bytes, or
 * leave them as they are. Throws invalid_argument.
 */
export function refuseUnreadableUrls(rest: FastifyInstance): void {
  rest.addHook('onRequest', ({ url }, _reply, done) => {
    if (!PLAIN.test(url)) throw unreadable('write characters beyond ASCII with percent signs');
    if (url.includes('%')) requireUtf8(url);
    done();
  });
}

function requireUtf8(url: string): void {
  try {
    decodeURIComponent(url);
  } catch (cause) {
    throw unreadable('write "%" itself as "%25"', cause);
  }
}

const unreadable = (hint: string, cause?: unknown): LhsError =>
  new LhsError('invalid_argument', 'the URL is not UTF-8 with percent signs', { hint, cause });
