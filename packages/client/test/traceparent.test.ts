/** The span of a call travels with it, whatever transport and kind of call it has. */
import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grpcTransport } from '../src/grpc/grpc-transport.ts';
import type { Transport } from '../src/remote/transport.ts';
import { openExchange } from '../src/rest/open-exchange.ts';
import { restTransport } from '../src/rest/rest-transport.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const call = { authorization: undefined, traceparent };
const seen: unknown[] = [];
const sessions: ServerHttp2Session[] = [];
const http = createHttp((request, response) => {
  seen.push(request.headers.traceparent);
  response.end('[]');
});
const http2 = createHttp2();
http2.on('session', (session) => sessions.push(session));
http2.on('stream', (stream, headers) => {
  seen.push(headers.traceparent);
  stream.on('error', () => {}).resume();
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' },
    { endStream: true },
  );
});
let transports: readonly Transport[];
beforeAll(async () => {
  for (const server of [http, http2]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  const [rest, grpc] = [http, http2].map((server) => (server.address() as AddressInfo).port);
  const url = `http://127.0.0.1:${rest}`;
  transports = [
    restTransport(url, await openExchange(url, undefined)),
    grpcTransport(`127.0.0.1:${grpc}`, false),
  ];
});
afterAll(async () => {
  for (const transport of transports) await transport.close();
  for (const session of sessions) session.destroy();
  http.closeAllConnections();
  for (const server of [http, http2]) await new Promise((resolve) => server.close(resolve));
});

describe('the span of a call', () => {
  it.each([
    ['REST', 0],
    ['gRPC', 1],
  ])('is sent with a unary call and with a stream over %s', async (_, at) => {
    seen.length = 0;
    await transports[at].unary('listIndexes', {}, call).catch(() => {});
    const items = transports[at].stream('exportDocuments', { index: 'i' }, call);
    await Array.fromAsync(items).catch(() => {});
    expect(seen).toEqual([traceparent, traceparent]);
  });
});
