/** What callers without credentials can cost a server. */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { METHODS } from '@lakehouse-search/client/internal';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const CONNECTIONS = 8;
const FAILURES = 5;
let service: TestService;
const sockets: Socket[] = [];
beforeAll(async () => {
  const values = {
    'limits.failures_per_minute': FAILURES,
    'limits.connections': CONNECTIONS,
    'search_adapter.enabled': true,
  };
  service = await startService({ values });
});
afterAll(() => service?.stop());
afterEach(async () => {
  const ends = sockets.splice(0).map((socket) => {
    const closed = once(socket, 'close');
    socket.destroy();
    return socket.closed ? undefined : closed;
  });
  await Promise.all(ends);
});

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  sockets.push(socket);
  return socket;
}

/** The status of a request whose body never comes. */
async function statusWithoutBody(verb: string, path: string): Promise<number> {
  const socket = open(Number(new URL(service.server.url).port));
  const head = ['Host: 127.0.0.1', 'Content-Type: application/json', 'Content-Length: 1000'];
  socket.write(`${[`${verb} ${path} HTTP/1.1`, ...head].join('\r\n')}\r\n\r\n`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  await once(socket, 'close');
  return Number(data.toString('latin1').split(' ')[1]);
}

describe('a request without credentials', () => {
  it('is refused on every route before its body comes', async () => {
    const routes = Object.values(METHODS).flatMap(({ operation, route }) =>
      [`${route.verb} ${route.path}`, ...(route.also ?? [])]
        .filter((binding) => !binding.startsWith('GET ') && operation !== 'login')
        .map((binding) => binding.replaceAll(/\{\w+\}/g, 'x').split(' ')),
    );
    expect(routes.length).toBeGreaterThan(40);
    for (const [verb, path] of [...routes, ['POST', '/mcp'], ['POST', '/docs/_search']]) {
      expect([verb, path, await statusWithoutBody(verb!, path!)]).toEqual([verb, path, 401]);
    }
  });

  it('is refused before its body comes if there is no such path', async () => {
    for (const path of ['/v1/nothing', '/v1/search/more', '/a/b/c/d/e']) {
      expect(await statusWithoutBody('POST', path)).toBe(404);
    }
  });
});

describe('wrong credentials', () => {
  it('are verified a few times per address, and callers known before stay welcome', async () => {
    const known = await service.token({ roles: ['reader'] });
    const other = await service.token({ roles: ['reader'] });
    const statusOf = async (authorization: string | undefined) => {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await fetch(`${service.server.url}/v1/indexes`, { headers });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await statusOf(known)).toBe(200);
    const statuses: number[] = [];
    for (let n = 0; n < FAILURES + 2; n++) statuses.push(await statusOf(`Bearer wrong${n}`));
    expect(statuses).toEqual([...Array(FAILURES).fill(401), 429, 429]);
    expect(await statusOf(known)).toBe(200);
    expect(await statusOf(other)).toBe(429);
    expect(await statusOf(undefined)).toBe(401);
  });
});

describe('connections', () => {
  it('beyond the limit of a port are closed', async () => {
    const rest = Number(new URL(service.server.url).port);
    const grpc = Number(service.server.grpc.split(':').at(-1));
    for (const port of [rest, grpc]) {
      const closed = Promise.race(
        Array.from({ length: CONNECTIONS + 4 }, () => once(open(port), 'close')),
      );
      await closed;
      const left = sockets.filter(({ remotePort, closed }) => remotePort === port && !closed);
      expect(left.length).toBeGreaterThanOrEqual(1);
    }
  });

  it('of gRPC are there again when others have ended', async () => {
    const session = connectHttp2(`http://${service.server.grpc}`);
    await once(session, 'connect');
    session.close();
    await once(session, 'close');
  });
});
