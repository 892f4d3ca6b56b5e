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
  [/CERT|certificate/, 'NODE_EXTRA_CA_CERTS names a file of further authorities to trust'],
  [/TIMEDOUT|TIMEOUT|no answer within/, 'check host and port, and firewalls in between'],
];

/** The error of a service that cannot be reached. `reason`: a code, or words. */
export function unreachable(
  address: string,
  reason: string,
  options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown },
): LhsError {
  const hint = ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
  const message = `cannot reach "${address}": ${reason}`;
  return new LhsError('unreachable', message, { ...options, ...(hint && { hint }) });
}
