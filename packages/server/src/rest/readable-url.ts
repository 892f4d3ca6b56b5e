import { LhsError } from '@lakehouse-search/contract';
import type { FastifyInstance } from 'fastify';

/**
 * Refuses URLs whose path or query is not UTF-8 with percent signs: decoders replace such bytes, or
 * leave them as they are. Other characters than ASCII are refused by the parser of HTTP. Throws
 * invalid_argument.
 */
export function refuseUnreadableUrls(rest: FastifyInstance): void {
  rest.addHook('onRequest', ({ url }, _reply, done) => {
    if (url.includes('%')) requireUtf8(url);
    done();
  });
}

function requireUtf8(url: string): void {
  try {
    decodeURIComponent(url);
  } catch (cause) {
    const hint = 'write "%" itself as "%25"';
    throw new LhsError('invalid_argument', 'the URL is not UTF-8 with percent signs', {
      hint,
      cause,
    });
  }
}
