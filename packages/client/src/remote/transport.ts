import type { CallContext } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';

/** The way of calls to a service. Requests have been checked. Every error is an `LhsError`. */
export interface Transport {
  unary(operation: Operation, request: unknown, call: TransportCall): Promise<unknown>;
  stream(operation: Operation, request: unknown, call: TransportCall): AsyncIterable<unknown>;
  close(): Promise<void>;
}

/** What a transport needs of a call. */
export interface TransportCall extends Pick<CallContext, 'signal' | 'deadline'> {
  /** The value of the header `authorization`. */
  readonly authorization: string | undefined;
  /** The span of the call (W3C Trace Context). */
  readonly traceparent?: string | undefined;
}
