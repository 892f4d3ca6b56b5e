import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, rootCertificates } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { grpcCalls } from './support/call-over.ts';
import { CERTIFICATE, PRIVATE_KEY } from './support/certificate.ts';
import { startTickets, type TicketService } from './support/tickets.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-tls-'));
const [cert, key] = [join(folder, 'server.crt'), join(folder, 'server.key')];
let service: TicketService;
let token: string;

beforeAll(async () => {
  writeFileSync(cert, CERTIFICATE);
  writeFileSync(key, PRIVATE_KEY);
  service = await startTickets({ values: { 'tls.cert': cert, 'tls.key': key } });
  token = await service.token({ roles: ['reader'] });
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The status of GET /v1/indexes over TLS. */
function statusOver(ca: string | undefined): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: token };
    const options = { headers, ...(ca === undefined ? {} : { ca }) };
    const sent = httpsRequest(`${service.server.url}/v1/indexes`, options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject).end();
  });
}

describe('a server with TLS', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('answers REST to clients that trust its certificate, and to no others', async () => {
    expect(service.server.url).toMatch(/^https:/);
    expect(await statusOver(CERTIFICATE)).toBe(200);
    await expect(statusOver(undefined)).rejects.toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });

  it('answers no client over REST that does not trust its certificate', async () => {
    const { url } = service.server;
    const client = createRemote({ url, authorization: () => token, retryMs: 0 });
    await expect(client.listIndexes({})).rejects.toMatchObject({
      code: 'unreachable',
      message: `cannot reach "${url}": DEPTH_ZERO_SELF_SIGNED_CERT`,
    });
    await client.close();
  });

  it('answers gRPC over TLS', async () => {
    const grpc = grpcCalls(service.server.grpc, credentials.createSsl(Buffer.from(CERTIFICATE)));
    const { status, body } = await grpc.call('listIndexes', {}, { authorization: token });
    grpc.close();
    expect(status).toBe(200);
    expect(body).toMatchObject([{ name: 'tickets' }]);
  });

  it('answers clients over gRPC that trust its certificate, and no others', async () => {
    const client = () =>
      createRemote({
        url: `grpcs://${service.server.grpc}`,
        authorization: () => token,
        retryMs: 0,
      });
    vi.stubEnv('GRPC_DEFAULT_SSL_ROOTS_FILE_PATH', '');
    const stranger = client();
    await expect(stranger.listIndexes({})).rejects.toMatchObject({ code: 'unreachable' });
    vi.stubEnv('GRPC_DEFAULT_SSL_ROOTS_FILE_PATH', cert);
    const trusting = client();
    expect(await trusting.listIndexes({})).toMatchObject([{ name: 'tickets' }]);
    // further authorities go with those of the system, for unary calls and streams
    const others = join(folder, 'others.crt');
    writeFileSync(others, rootCertificates[0]);
    vi.stubEnv('GRPC_DEFAULT_SSL_ROOTS_FILE_PATH', others);
    vi.stubEnv('NODE_EXTRA_CA_CERTS', cert);
    const further = client();
    expect(await further.listIndexes({})).toMatchObject([{ name: 'tickets' }]);
    const first = await further
      .exportDocuments({ index: 'tickets' })
      [Symbol.asyncIterator]()
      .next();
    expect(first.done).toBe(false);
    await Promise.all([stranger.close(), trusting.close(), further.close()]);
  });

  it('answers neither protocol in plain text', async () => {
    await expect(fetch(service.server.url.replace('https:', 'http:'))).rejects.toThrow();
    const grpc = grpcCalls(service.server.grpc);
    const { status } = await grpc.call('listIndexes', {}, { authorization: token });
    grpc.close();
    expect(status).toBe(503);
  });

  it.each(['rest', 'grpc'] as const)('refuses TLS 1.1 at its port of %s', async (port) => {
    const { url, grpc } = service.server;
    const address = port === 'rest' ? url : `https://${grpc}`;
    const { hostname: host, port: number } = new URL(address);
    const ended = new Promise<string>((resolve) => {
      const versions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
      const socket = connect({ host, port: Number(number), ca: CERTIFICATE, ...versions }, () =>
        resolve(String(socket.getProtocol())),
      );
      socket.on('error', () => resolve('refused'));
    });
    expect(await ended).toBe('refused');
  });
});

describe('a server with a wrong certificate', () => {
  const start = (values: object) => startTickets({ values: { ...values } as never });

  it('does not start, and names the file', async () => {
    const missing = join(folder, 'nothing.crt');
    await expect(start({ 'tls.cert': missing, 'tls.key': key })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('nothing.crt'),
    });
    await expect(start({ 'tls.cert': cert })).rejects.toMatchObject({
      message: expect.stringContaining('tls.key'),
    });
  });

  it('does not start with a key that is none, or of another certificate', async () => {
    const other = join(folder, 'other.key');
    for (const text of ['no key', PRIVATE_KEY.replace('BEGIN PRIVATE', 'BEGIN PUBLIC')]) {
      writeFileSync(other, text);
      await expect(start({ 'tls.cert': cert, 'tls.key': other })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('other.key'),
      });
    }
  });
});
