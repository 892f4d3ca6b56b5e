/** Spans of a server for a collector of OpenTelemetry, against a stand-in of the collector. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveAll } from '../src/serve/serve-all.ts';
import { serverOptions } from '../src/serve/server-options.ts';

interface Received {
  readonly path: string;
  readonly type: string;
  readonly body: ReturnType<typeof JSON.parse>;
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('the spans of a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-otlp-'));
  const received: Received[] = [];
  let status = 200;
  let collector: Server;

  const start = (more: Record<string, unknown>) =>
    serveAll({
      options: serverOptions(
        {
          ...{ rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0', threads: 0 },
          ...{ 'log.level': 'silent', 'log.access': false, ...more },
        },
        {},
        join(folder, 'data'),
      ),
      names: { catalogs: {}, roots: {}, models: {} },
      issuers: [],
      env: {},
    });
  const endpoint = () => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

  beforeAll(async () => {
    collector = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      received.push({
        path: `${request.method} ${request.url}`,
        type: String(request.headers['content-type']),
        body: JSON.parse(Buffer.concat(parts).toString()),
      });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
  });

  afterAll(async () => {
    collector.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('arrive in the JSON form of OTLP, as children of the span of the caller', async () => {
    const server = await start({ 'telemetry.otlp_endpoint': endpoint() });
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
    expect((await fetch(`${server.url}/v1/indexes`, { headers })).status).toBe(200);
    expect((await fetch(`${server.url}/v1/indexes/nothing`)).status).toBe(404);
    await server.stop();
    const sent = received.map(({ path, type }) => `${path} ${type}`);
    expect([...new Set(sent)]).toEqual(['POST /v1/traces application/json']);
    const [{ resource, scopeSpans }] = received[0].body.resourceSpans;
    expect(resource.attributes).toEqual([
      { key: 'service.name', value: { stringValue: 'lhs-all' } },
    ]);
    expect(scopeSpans[0].scope).toEqual({ name: '@lakehouse-search/server' });
    const spans = received.flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans);
    expect(spans).toHaveLength(2);
    const [listed, missing] = spans;
    expect(listed).toMatchObject({
      ...{ traceId: TRACE, parentSpanId: PARENT, name: 'listIndexes', kind: 2, status: {} },
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
      endTimeUnixNano: expect.stringMatching(/^\d{19}$/),
    });
    expect(BigInt(listed.endTimeUnixNano) >= BigInt(listed.startTimeUnixNano)).toBe(true);
    expect(listed.attributes).toEqual(
      expect.arrayContaining([
        { key: 'lhs.transport', value: { stringValue: 'rest' } },
        { key: 'http.response.status_code', value: { intValue: '200' } },
      ]),
    );
    expect(missing.parentSpanId).toBeUndefined();
    expect(missing.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(missing.attributes).toContainEqual({
      key: 'error.type',
      value: { stringValue: 'index_not_found' },
    });
  });

  it('are lost without harm if the collector refuses them or is not there', async () => {
    received.length = 0;
    status = 503;
    const refusing = await start({ 'telemetry.otlp_endpoint': endpoint() });
    expect((await fetch(`${refusing.url}/v1/indexes`)).status).toBe(200);
    await refusing.stop();
    expect(received).toHaveLength(1);
    const absent = await start({ 'telemetry.otlp_endpoint': 'http://127.0.0.1:9' });
    expect((await fetch(`${absent.url}/v1/indexes`)).status).toBe(200);
    await absent.stop();
  });

  it('are not made without an endpoint', async () => {
    received.length = 0;
    const server = await start({});
    expect((await fetch(`${server.url}/v1/indexes`)).status).toBe(200);
    await server.stop();
    expect(received).toEqual([]);
  });
});
