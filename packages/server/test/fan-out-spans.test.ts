/** Spans of a gateway and of two nodes, each a process, as a collector of OpenTelemetry gets them. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterProcess, startProcess } from '../../../test/support/cluster-processes.ts';
import { schemaOf } from '../../../test/support/schema.ts';

/** A span as the collector reads it: attributes by name. */
interface Span {
  readonly service: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly nanos: bigint;
  readonly values: Readonly<Record<string, string>>;
  readonly status: { readonly code?: number; readonly message?: string };
}

type Loose = ReturnType<typeof JSON.parse>;

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const [SERVER, CLIENT] = [2, 3];
const SCHEMA = schemaOf({ id: 'long', title: 'string' });
const FREE = ['--addr', '127.0.0.1:0'];

describe('the spans of a search over two nodes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-spans-'));
  const spans: Span[] = [];
  const nodes: ClusterProcess[] = [];
  let collector: Server;
  let gateway: ClusterProcess;

  const post = async (path: string, body: object, headers = {}) => {
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    expect(response.status, await response.clone().text()).toBe(200);
    return response.json() as Promise<Loose>;
  };
  /** The processes send what waits when they end. */
  const endAll = async () => {
    for (const one of [gateway, ...nodes]) await one.end('SIGTERM');
  };

  beforeAll(async () => {
    collector = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      spans.push(...spansOf(JSON.parse(Buffer.concat(parts).toString())));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    const settings = {
      LHS_TELEMETRY_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      ...{ LHS_THREADS: '0', LHS_SYNC: 'false' },
    };
    const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
    mkdirSync(catalog.warehouse);
    const source = { catalog, table: 'ops.notes' };
    await createTable(catalog, source.table, { schema: SCHEMA });
    const rows = Array.from({ length: 40 }, (_, id) => ({ id: BigInt(id), title: `note ${id}` }));
    await appendRows(source, { kind: 'rows', rows });
    const config = join(folder, 'server.yaml');
    writeFileSync(config, `catalogs: { main: ${JSON.stringify(catalog)} }\n`);
    const started = await Promise.all(
      ['n1', 'n2'].map((name, i) => {
        const args = [...FREE, '--node', name, '--shard-ordinals', String(i), '--config', config];
        return startProcess('node', join(folder, name), args, settings);
      }),
    );
    nodes.push(...started);
    const addresses = nodes.map(({ grpc }) => grpc).join(',');
    const args = [...FREE, '--rest-addr', '127.0.0.1:0', '--nodes', addresses, '--config', config];
    gateway = await startProcess('gateway', join(folder, 'gateway'), args, settings);
    const definition = `version: 1
index: notes
source: { catalog: main, table: ops.notes }
sharding: { shards: 2 }
fields: [{ name: title, type: TEXT, cached: true }]
`;
    await post('/v1/indexes', { definition });
    await post('/v1/index:reindex', { index: 'notes' });
    const search = { index: 'notes', query: 'note', hydrate: true, limit: 20 };
    await post('/v1/search', search, { traceparent: `00-${TRACE}-${PARENT}-01` });
    await endAll();
  });

  afterAll(async () => {
    await endAll();
    collector.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ofTrace = (service: string) =>
    spans.filter((span) => span.service === service && span.traceId === TRACE);
  const call = () => ofTrace('lhs-gateway').find(({ name }) => name === 'search') as Span;
  const reads = () => ofTrace('lhs-gateway').filter(({ kind }) => kind === CLIENT);

  it('are one child of the call for each read of a node, with its phase and shard', () => {
    expect(call()).toMatchObject({ kind: SERVER, parentSpanId: PARENT });
    for (const { parentSpanId, nanos, values, status } of reads()) {
      expect(parentSpanId).toBe(call().spanId);
      expect(values).toMatchObject({ 'lhs.index': 'notes', 'lhs.status': '200' });
      expect(status).toEqual({});
      expect(nanos > 0n && nanos <= call().nanos + 1_000_000n).toBe(true);
    }
    const phases = (phase: string) =>
      reads()
        .filter(({ values }) => values['lhs.phase'] === phase && values['lhs.shards'] !== '')
        .map(({ values }) => `${values['lhs.node']} ${values['lhs.shards']}`)
        .sort();
    for (const phase of ['statistics', 'search', 'fetch']) {
      expect(new Set(phases(phase)), phase).toEqual(new Set(['n1 0', 'n2 1']));
    }
  });

  it('are parents of the spans of the nodes', () => {
    const sent = new Map(reads().map((span) => [span.spanId, span]));
    const received = ofTrace('lhs-node');
    expect(received).toHaveLength(sent.size);
    for (const { kind, parentSpanId, values } of received) {
      const parent = sent.get(parentSpanId as string) as Span;
      expect(kind).toBe(SERVER);
      expect(values['lhs.node']).toBe(parent.values['lhs.node']);
      expect(values['lhs.operation']).toBe(parent.values['lhs.operation']);
    }
  });

  it('have no text of the query', () => {
    expect(JSON.stringify(spans.map(({ values }) => values))).not.toContain('note ');
  });
});

function spansOf(body: Loose): Span[] {
  return body.resourceSpans.flatMap(({ resource, scopeSpans }: Loose) =>
    scopeSpans.flatMap((scope: Loose) =>
      scope.spans.map(({ attributes, startTimeUnixNano, endTimeUnixNano, ...span }: Loose) => ({
        ...span,
        service: resource.attributes[0].value.stringValue,
        nanos: BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano),
        values: Object.fromEntries(
          attributes.map(({ key, value }: Loose) => [key, value.stringValue ?? value.intValue]),
        ),
      })),
    ),
  );
}
