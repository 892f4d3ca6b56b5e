import { Metadata } from '@grpc/grpc-js';
import type { Arrival } from '../access/access.ts';
import { requestId } from '../calls/request-id.ts';
import { type Span, spanOf, traceparentOf } from '../observe/trace-context.ts';
import type { Arriving } from './screen.ts';

/** What the headers of a gRPC call say. */
export interface Arrived {
  readonly arrival: Arrival;
  readonly authorization: string | undefined;
  readonly span: Span;
  /** The time of `performance.now`. */
  readonly began: number;
}

const known = new WeakMap<object, Arrived>();

/** What the headers of a call say: they are read once, by its screen or its handler. */
export function arrivedOf(call: Pick<Arriving, 'metadata' | 'getPeer'>): Arrived {
  let arrived = known.get(call);
  if (arrived === undefined) known.set(call, (arrived = readHeaders(call)));
  return arrived;
}

function readHeaders(call: Pick<Arriving, 'metadata' | 'getPeer'>): Arrived {
  const { metadata } = call;
  const request_id = requestId(textOf(metadata, 'x-request-id'));
  return {
    arrival: { request_id, remote: hostOf(call.getPeer()), transport: 'grpc' },
    authorization: textOf(metadata, 'authorization'),
    span: spanOf(textOf(metadata, 'traceparent')),
    began: performance.now(),
  };
}

/** Names the span of a call to a caller that has a trace. */
export function traceResponse(call: Pick<Arriving, 'sendMetadata'>, span: Span): void {
  if (span.parentId === undefined) return;
  const metadata = new Metadata();
  metadata.set('traceresponse', traceparentOf(span));
  call.sendMetadata(metadata);
}

/** The address of a peer without its port, as REST has it: limits count addresses. */
const hostOf = (peer: string): string => peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');

/** The value of a header of a call, if it has one. */
export function textOf(metadata: Metadata, key: string): string | undefined {
  const [value] = metadata.get(key);
  return typeof value === 'string' ? value : undefined;
}
