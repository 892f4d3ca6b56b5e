/** What the ports of gRPC refuse before they read a request: streams of HTTP/2 without a body. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { CONTROL_PLANE_METHODS, METHODS, NODE_METHODS } from '@lakehouse-search/client/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signNodeCall } from '../../src/cluster/cluster-token.ts';
import { serveControlPlane } from '../../src/serve/serve-control-plane.ts';
import { serveNode } from '../../src/serve/serve-node.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import { startService, type TestService } from '../support/service.ts';

const KEY = 'key of the cluster in tests';
const MESSAGE_BYTES = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'lhs-screens-'));
const optionsOf = (name: string) =>
  serverOptions(
    {
      ...{ rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0', threads: 0 },
      ...{ 'log.level': 'silent', 'log.access': false, 'log.audit': join(folder, 'audit.log') },
    },
    {},
    join(folder, name),
  );

let service: TestService;
const running: { stop(): Promise<void> }[] = [];
const sessions: ClientHttp2Session[] = [];
let gateway: ClientHttp2Session;
let node: ClientHttp2Session;
let plane: ClientHttp2Session;

async function connected(address: string): Promise<ClientHttp2Session> {
  const session = connect(`http://${address}`);
  sessions.push(session);
  await once(session, 'connect');
  return session;
}

beforeAll(async () => {
  service = await startService({});
  gateway = await connected(service.server.grpc);
  const cluster = { nodes: [], key: KEY, takes: [] };
  const ofNode = await serveNode({ options: optionsOf('node'), cluster });
  const ofPlane = await serveControlPlane({
    options: optionsOf('plane'),
    names: { catalogs: {}, roots: {}, models: {} },
    times: { leaseMs: 60_000, nodeMs: 60_000, leaveMs: 60_000 },
    key: KEY,
  });
  running.push(ofNode, ofPlane);
  node = await connected(ofNode.grpc);
  plane = await connected(ofPlane.grpc);
});
afterAll(async () => {
  for (const session of sessions) session.destroy();
  for (const each of running) await each.stop();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The status of a call that sends its headers and these bytes, and does not end its body. */
async function statusOf(
  session: ClientHttp2Session,
  path: string,
  authorization?: string,
  bytes: Buffer = Buffer.alloc(0),
): Promise<number> {
  const stream = session.request(
    {
      ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
      ...(authorization === undefined ? {} : { authorization }),
    },
    { endStream: false },
  );
  stream.on('error', () => {});
  if (bytes.length > 0) stream.write(bytes);
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  stream.close();
  return Number(headers['grpc-status']);
}

/** The head of a message, and some of its bytes. */
function message(declared: number, bytes = 0): Buffer {
  const head = Buffer.alloc(5 + bytes);
  head.writeUInt32BE(declared, 1);
  return head;
}

/** The lines of the audit log of the gateway that have been written. */
const auditLines = (): readonly Readonly<Record<string, unknown>>[] =>
  readFileSync(join(service.folder, 'audit.log'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const ofAll = Object.values(METHODS).filter(({ operation }) => operation !== 'login');
const internal = (methods: Readonly<Record<string, { readonly path: string }>>) =>
  Object.values(methods).map(({ path }) => path);

describe('a port of gRPC, before it reads a request', () => {
  it('refuses unknown callers of every method', async () => {
    const own = ofAll.map(({ path }) => path);
    for (const [session, paths] of [
      [gateway, own],
      [node, [...own, ...internal(NODE_METHODS)]],
      [plane, [...own, ...internal(CONTROL_PLANE_METHODS)]],
    ] as const) {
      for (const path of paths) {
        const found = [await statusOf(session, path), await statusOf(session, path, 'Bearer no')];
        expect([path, ...found]).toEqual([path, status.UNAUTHENTICATED, status.UNAUTHENTICATED]);
      }
    }
  });

  it('records them as other calls', async () => {
    const wanted = ofAll.map(({ operation }) => operation).sort();
    const operations = () => [...new Set(auditLines().map(({ operation }) => operation))].sort();
    await expect.poll(operations).toEqual(wanted);
  });

  it('names the callers to whom they were refused, as REST does', async () => {
    const authorization = await service.token({ roles: ['reader'] });
    const headers = { authorization, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: '{"index": "notes"}' };
    await fetch(`${service.server.url}/v1/index:compact`, init);
    await statusOf(gateway, METHODS.verify.path, authorization);
    await statusOf(gateway, METHODS.follow.path, authorization);
    const refused = () => auditLines().filter((line) => line.status === 403);
    const operations = () => refused().map(({ operation }) => operation);
    await expect.poll(() => operations().sort()).toEqual(['compact', 'follow', 'verify']);
    const subjects = new Set(refused().map(({ subject }) => subject));
    expect([...subjects]).toEqual([expect.stringMatching(/^token:/)]);
  });

  it('refuses callers without the scope, at a gateway', async () => {
    const reader = await service.token({ roles: ['reader'] });
    for (const { path } of [METHODS.applyBatch, METHODS.createIndex, METHODS.follow]) {
      expect(await statusOf(gateway, path, reader)).toBe(status.PERMISSION_DENIED);
    }
  });

  it('refuses a login of more than 16 KiB by its length, and other calls above 1 MiB', async () => {
    const admin = await service.token({ roles: ['admin'] });
    const login = await statusOf(gateway, METHODS.login.path, undefined, message(17_000));
    const search = message(MESSAGE_BYTES + 1);
    const found = [login, await statusOf(gateway, METHODS.search.path, admin, search)];
    expect(found).toEqual([status.INVALID_ARGUMENT, status.INVALID_ARGUMENT]);
    const state = NODE_METHODS.state.path;
    const own = await statusOf(node, state, signNodeCall(KEY, {}), search);
    expect(own).toBe(status.RESOURCE_EXHAUSTED);
  });

  it('refuses a login of more than 16 KiB over REST too', async () => {
    const body = JSON.stringify({ username: 'ann', password: 'x'.repeat(17_000) });
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body };
    const response = await fetch(`${service.server.url}/v1/login`, init);
    expect(response.status).toBe(413);
  });

  it('refuses a request of a stream of answers once it has more bytes', async () => {
    const admin = await service.token({ roles: ['admin'] });
    const { path } = METHODS.exportDocuments;
    const sent = message(8 * MESSAGE_BYTES, MESSAGE_BYTES + 1);
    expect(await statusOf(gateway, path, admin, sent)).toBe(status.INVALID_ARGUMENT);
  });

  it('limits reflection, which everybody may call', async () => {
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
    const sent = message(MESSAGE_BYTES, 70_000);
    expect(await statusOf(gateway, path, undefined, sent)).toBe(status.RESOURCE_EXHAUSTED);
  });
});
