import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Certificates, openCertificates } from '../src/serve/certificates.ts';
import {
  CERTIFICATE,
  EXPIRED_CERTIFICATE,
  PRIVATE_KEY,
  SECOND_CERTIFICATE,
} from './support/certificate.ts';
import { startTickets, type TicketService } from './support/tickets.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-certificates-'));
const files = { certFile: join(folder, 'server.crt'), keyFile: join(folder, 'server.key') };
const write = (cert: string) => writeFileSync(files.certFile, cert);
const serialOf = (pem: string) => new X509Certificate(pem).serialNumber;

beforeAll(() => writeFileSync(files.keyFile, PRIVATE_KEY));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The serial number of the certificate that a port shows to a new connection. */
function shownAt(address: string, protocol: string): Promise<string> {
  const { hostname: host, port } = new URL(address);
  const options = { host, port: Number(port), rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const socket = connect({ ...options, ALPNProtocols: [protocol] }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.end();
    });
    socket.on('error', reject);
  });
}

describe('a server whose certificate is replaced', () => {
  let service: TicketService;
  beforeAll(async () => {
    write(CERTIFICATE);
    const values = { 'tls.cert': files.certFile, 'tls.key': files.keyFile };
    service = await startTickets({ values });
  });
  afterAll(() => service?.stop());

  const shown = () => {
    const { url, grpc } = service.server;
    return Promise.all([shownAt(url, 'http/1.1'), shownAt(`https://${grpc}`, 'h2')]);
  };

  it('shows the new one to new connections of both ports', async () => {
    expect(await shown()).toEqual(Array(2).fill(serialOf(CERTIFICATE)));
    write(SECOND_CERTIFICATE);
    service.server.reload();
    expect(await shown()).toEqual(Array(2).fill(serialOf(SECOND_CERTIFICATE)));
  });

  it('stays with the one that it has while the files are none', async () => {
    write('half a certif');
    service.server.reload();
    expect(await shown()).toEqual(Array(2).fill(serialOf(SECOND_CERTIFICATE)));
  });
});

describe('the certificate of a server', () => {
  const lines: string[] = [];
  const registry = new Registry();
  const opened: Certificates[] = [];
  const note = (_: unknown, text: string) => void lines.push(text);
  const logger = { info: note, warn: note };
  afterAll(() => {
    for (const one of opened) one.close();
  });

  it('is warned of when it has expired, and has a metric of the days that are left', async () => {
    write(EXPIRED_CERTIFICATE);
    const tls = files;
    opened.push(openCertificates({ tls }, { logger, registry }) as Certificates);
    expect(lines).toEqual(['the certificate has expired']);
    const [, days] = /^lhs_tls_certificate_days_left (\S+)$/m.exec(await registry.metrics()) ?? [];
    expect(Number(days)).toBeLessThan(0);
  });

  it('is reloaded when its files change, without a signal', async () => {
    write(CERTIFICATE);
    const own = { logger, registry: new Registry(), lookMs: 5 };
    const certificates = openCertificates({ tls: files }, own) as Certificates;
    opened.push(certificates);
    write(SECOND_CERTIFICATE);
    const shown = () => new X509Certificate(certificates.pair.cert).serialNumber;
    await expect.poll(shown).toBe(serialOf(SECOND_CERTIFICATE));
    expect(lines.at(-1)).toBe('certificate reloaded');
  });
});
