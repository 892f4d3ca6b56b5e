import { LhsError } from '@lakehouse-search/contract';

/** What to check, by the reason why a connection was not made. */
const ADVICE: readonly (readonly [reason: RegExp, hint: string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there: check host and port, and whether the service runs'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'no machine of this name was found: check the host'],
  [/WRONG_VERSION_NUMBER/, 'the port has no TLS: use http:// (REST) or grpc://'],
  [/^HPE_|HTTP\/1\.1 protocol/, 'is it the port of gRPC? use grpc://, or grpcs:// with TLS'],
  [
    /does not speak HTTP\/2/,
    'is it the port of REST? use http://, or https:// and grpcs:// with TLS',
  ],
  [/ALTNAME_INVALID/, 'the certificate is for another host: use a name that it has'],
  [
    /HAS_EXPIRED|NOT_YET_VALID/,
    'the certificate of the service is out of date: renew it there, or correct the clock here',
  ],
  [/REVOKED|KEY_TOO_SMALL/, 'the certificate of the service has to be replaced'],
  [
    /SELF_SIGNED|UNABLE_TO_|CERT|certificate/,
    'NODE_EXTRA_CA_CERTS names a file of further authorities to trust',
  ],
  [/TIMEDOUT|TIMEOUT|no answer within/, 'check host and port, and firewalls in between'],
];

/** A connection that ends before its answer: a port with TLS does so with plain text. */
const CLOSED = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/;
const TRY_TLS = 'if the port has TLS, use https:// (REST) or grpcs:// (gRPC)';

const adviceFor = (reason: string): string | undefined =>
  ADVICE.find(([pattern]) => pattern.test(reason))?.[1];

/** The error of a service that cannot be reached. `reason`: a code, or words. */
export function unreachable(
  address: string,
  reason: string,
  options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown },
): LhsError {
  const isClosed = CLOSED.test(reason);
  const hint = isClosed && address.startsWith('http://') ? TRY_TLS : adviceFor(reason);
  const words = isClosed ? 'the connection was closed without an answer' : reason;
  const message = `cannot reach "${address}": ${words}`;
  return new LhsError('unreachable', message, { ...options, ...(hint && { hint }) });
}
