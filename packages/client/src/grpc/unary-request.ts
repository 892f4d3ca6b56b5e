import { type OutgoingHttpHeaders, sensitiveHeaders } from 'node:http2';
import { requireHeaderValue } from '../remote/header-value.ts';
import type { TransportCall } from '../remote/transport.ts';

/** A timeout has at most eight digits. */
const MOST_MILLIS = 99_999_999;

/** The header fields of a request to a method. Throws invalid_argument. */
export function requestFields(
  path: string,
  { authorization, deadline, traceparent }: TransportCall,
): OutgoingHttpHeaders {
  const fields: OutgoingHttpHeaders = {
    ':method': 'POST',
    ':path': path,
    te: 'trailers',
    'content-type': 'application/grpc',
    'user-agent': 'lhs',
  };
  if (deadline !== undefined) fields['grpc-timeout'] = timeoutOf(deadline);
  if (traceparent !== undefined) fields.traceparent = traceparent;
  if (authorization === undefined) return fields;
  requireHeaderValue(authorization);
  // No table of the connection keeps the token.
  return { ...fields, authorization, [sensitiveHeaders]: ['authorization'] };
}

/** The time that is left, as the header `grpc-timeout`. */
function timeoutOf(deadline: number): string {
  const millis = Math.max(0, Math.ceil(deadline - Date.now()));
  return millis <= MOST_MILLIS
    ? `${millis}m`
    : `${Math.min(Math.ceil(millis / 1000), MOST_MILLIS)}S`;
}
