import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server as HttpsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import { LhsError } from '@lakehouse-search/contract';
import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import type { ServerOptions } from './server-options.ts';

/** A certificate chain and its private key, PEM. */
export interface CertificatePair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Where certificates report what they see. */
export interface CertificateReports {
  readonly logger: Readonly<Record<'info' | 'warn', (fields: object, text: string) => void>>;
  readonly registry: Registry;
  /** Pause between two looks at the files. Default 10,000. */
  readonly lookMs?: number;
}

const LOOK_MS = 10_000;
const DAY_MS = 86_400_000;
/** A certificate that ends within this time, or the last quarter of its life, is warned of. */
const SOON_MS = 14 * DAY_MS;

/** The certificates of a server that `tls` names; undefined without TLS. Throws invalid_argument. */
export function openCertificates(
  { tls }: Pick<ServerOptions, 'tls'>,
  reports: CertificateReports,
): Certificates | undefined {
  return tls === undefined ? undefined : new Certificates(tls, reports);
}

/**
 * The certificate of the ports of a server. When its files change, new connections get the new one;
 * files that do not fit together leave the old one in force.
 */
export class Certificates {
  readonly #files: NonNullable<ServerOptions['tls']>;
  readonly #logger: CertificateReports['logger'];
  readonly #credentials: ReloadedCredentials;
  readonly #servers: HttpsServer[] = [];
  readonly #timer: NodeJS.Timeout;
  #pair: CertificatePair;
  /** What was refused last: it is reported once. */
  #refused = '';
  #warnedMs = Number.NEGATIVE_INFINITY;

  constructor(files: NonNullable<ServerOptions['tls']>, reports: CertificateReports) {
    this.#files = files;
    this.#logger = reports.logger;
    this.#pair = readPair(files);
    this.#credentials = new ReloadedCredentials(this.#pair);
    daysLeft(reports.registry, () => this.#validTo);
    this.#warn();
    this.#timer = setInterval(() => this.reload(), reports.lookMs ?? LOOK_MS);
    this.#timer.unref();
  }

  get pair(): CertificatePair {
    return this.#pair;
  }

  /** The credentials of a gRPC port: they change with the files. */
  get credentials(): ServerCredentials {
    return this.#credentials;
  }

  /** Keeps the certificate of a REST port equal to the files. */
  keep(rest: FastifyInstance): void {
    this.#servers.push(rest.server as HttpsServer);
  }

  /** Looks at the files now. Throws nothing. */
  reload(): void {
    this.#warn();
    try {
      const pair = readPair(this.#files);
      if (pair.cert.equals(this.#pair.cert) && pair.key.equals(this.#pair.key)) return;
      this.#pair = pair;
      for (const server of this.#servers) server.setSecureContext(pair);
      this.#credentials.use(pair);
      this.#refused = '';
      this.#logger.info({ valid_to: this.#validTo.toISOString() }, 'certificate reloaded');
      this.#warnedMs = Number.NEGATIVE_INFINITY;
      this.#warn();
    } catch (error) {
      const reason = (error as Error).message;
      if (reason === this.#refused) return;
      this.#refused = reason;
      this.#logger.warn({ err: error }, 'the old certificate stays in force');
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  get #validTo(): Date {
    return new Date(new X509Certificate(this.#pair.cert).validTo);
  }

  /** Warns once a day. */
  #warn(): void {
    const now = Date.now();
    if (now - this.#warnedMs < DAY_MS) return;
    const { validFrom, validTo } = new X509Certificate(this.#pair.cert);
    const left = Date.parse(validTo) - now;
    const life = Date.parse(validTo) - Date.parse(validFrom);
    if (left > Math.min(SOON_MS, life / 4)) return;
    this.#warnedMs = now;
    const what = left <= 0 ? 'the certificate has expired' : 'the certificate expires soon';
    this.#logger.warn({ file: this.#files.certFile, valid_to: validTo }, what);
  }
}

/** TLS of a gRPC port whose certificate changes while it listens. */
class ReloadedCredentials extends ServerCredentials {
  constructor(pair: CertificatePair) {
    super({ requestCert: false }, { ...pair });
  }

  use(pair: CertificatePair): void {
    this.updateSecureContextOptions({ ...pair });
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

function daysLeft(registry: Registry, validTo: () => Date): void {
  new Gauge({
    name: 'lhs_tls_certificate_days_left',
    help: 'days until the certificate of the ports expires, negative after that',
    registers: [registry],
    collect() {
      this.set((validTo().getTime() - Date.now()) / DAY_MS);
    },
  });
}

function readPair({ certFile, keyFile }: NonNullable<ServerOptions['tls']>): CertificatePair {
  const pair = { cert: readPem(certFile), key: readPem(keyFile) };
  try {
    createSecureContext(pair);
  } catch (cause) {
    const reason = (cause as Error).message;
    const message = `"${certFile}" and "${keyFile}" are no certificate and its key: ${reason}`;
    throw new LhsError('invalid_argument', message, { cause });
  }
  return pair;
}

function readPem(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new LhsError('invalid_argument', `cannot read "${file}": ${reason}`, { cause });
  }
}
