import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PAGES } from '../rest/allowed-origin.ts';
import { accepts } from '../rest/compress.ts';
import { notesOf } from '../rest/rest-call.ts';
import type { ConsoleAssets, ConsoleFile } from './console-assets.ts';
import { wantsPage } from './wants-page.ts';

/**
 * What the page may do: run its own script, use its own style sheet and call its own service.
 * `require-trusted-types-for` makes the browser refuse texts as markup, whatever a script does.
 */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'"],
  ...["connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ');

const HEADERS = Object.freeze({
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
});

/** Browsers ask each time whether the page has changed; other files never change. */
const PAGE_CACHE = 'no-cache';
const FILE_CACHE = 'public, max-age=31536000, immutable';

/**
 * Adds the console: the page at `/` for clients that accept HTML, its files below `/console/`. All
 * of it is public. Other clients get at `/` what they get without the console.
 */
export function addConsole(rest: FastifyInstance, { page, files }: ConsoleAssets): void {
  rest.addHook('onRequest', async (request, reply) => {
    const path = pagePath(request);
    if (path === undefined || !wantsPage(request.headers.accept)) return;
    reply.header('vary', 'accept, accept-encoding');
    // relative, because a proxy may serve all of this below a path of its own
    if (path !== '/') return reply.redirect(path === '/console' ? './' : '../', 302);
    return sendFile(request, reply, page, PAGE_CACHE);
  });
  for (const file of files) {
    rest.route({
      method: ['GET', 'HEAD'],
      url: `/console/${file.name}`,
      handler: (request, reply) => {
        reply.header('vary', 'accept-encoding');
        return sendFile(request, reply, file, FILE_CACHE);
      },
    });
  }
}

/** The path of a request that may be for the page. */
function pagePath({ method, url }: FastifyRequest): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return PAGES.has(path) ? path : undefined;
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, etag, plain, gzip, brotli }: ConsoleFile,
  cache: string,
): FastifyReply {
  const { 'accept-encoding': accepted = '', 'if-none-match': known = '' } = request.headers;
  reply.headers(HEADERS).header('cache-control', cache).header('etag', etag);
  if (known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)) {
    return reply.code(304).send();
  }
  const [body, encoding] = accepts(accepted, 'br')
    ? [brotli, 'br']
    : accepts(accepted, 'gzip')
      ? [gzip, 'gzip']
      : [plain, undefined];
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  reply.header('content-type', type).header('content-length', body.length);
  if (request.method === 'HEAD') return reply.send();
  notesOf(request).bytesOut = body.length;
  return reply.send(body);
}
