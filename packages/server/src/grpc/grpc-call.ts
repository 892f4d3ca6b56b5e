import { Metadata, type ServerDuplexStream, type ServerUnaryCall } from '@grpc/grpc-js';
import { decodeMessage, type WireMethod } from '@lakehouse-search/client';
import { ERROR_CODES, LhsError, type Operation, type Principal } from '@lakehouse-search/contract';
import type { Arrival } from '../access/access.ts';
import { type Begun, type Calls, indexOf } from '../calls/calls.ts';
import { publicError } from '../calls/public-error.ts';
import { requestId } from '../calls/request-id.ts';
import { type Span, spanOf, spanRecord, traceparentOf } from '../observe/trace-context.ts';

/** What all kinds of gRPC calls have. */
export type AnyCall = Pick<
  ServerUnaryCall<Buffer, Buffer> & ServerDuplexStream<Buffer, Buffer>,
  'metadata' | 'getPeer' | 'getDeadline' | 'on' | 'sendMetadata'
>;

/** Bytes of one message; a stream of requests may have many. */
const MESSAGE_BYTES = 1024 * 1024;

/** One gRPC call from its arrival to its record. */
export class GrpcCall {
  bytesIn = 0;
  bytesOut = 0;
  readonly #calls: Calls;
  readonly #method: WireMethod;
  readonly #arrival: Arrival;
  readonly #authorization: string | undefined;
  readonly #deadline: number | undefined;
  readonly #controller = new AbortController();
  readonly #began = performance.now();
  readonly #span: Span;
  #begun: Begun | undefined;
  #index: string | undefined;
  #ended = false;

  constructor(calls: Calls, method: WireMethod, call: AnyCall) {
    this.#calls = calls;
    this.#method = method;
    const request_id = requestId(textOf(call.metadata, 'x-request-id'));
    this.#arrival = { request_id, remote: hostOf(call.getPeer()), transport: 'grpc' };
    this.#authorization = textOf(call.metadata, 'authorization');
    this.#span = spanOf(textOf(call.metadata, 'traceparent'));
    if (this.#span.parentId !== undefined) {
      const metadata = new Metadata();
      metadata.set('traceresponse', traceparentOf(this.#span));
      call.sendMetadata(metadata);
    }
    this.#deadline = deadlineOf(call.getDeadline());
    // grpc-js reports every call that has ended as cancelled, and an abort builds a stack.
    call.on('cancelled', () => {
      if (!this.#ended) this.#controller.abort();
    });
  }

  get #operation(): Operation {
    return this.#method.operation;
  }

  /** The request that the bytes hold. Throws invalid_argument, limit_exceeded. */
  read(bytes: Buffer): Record<string, unknown> {
    this.bytesIn += bytes.length;
    const { input, route } = this.#method;
    if (bytes.length > MESSAGE_BYTES && route.stream !== 'requests') {
      const message = `the request has ${bytes.length} bytes: at most ${MESSAGE_BYTES}`;
      throw new LhsError('limit_exceeded', message);
    }
    return decodeMessage(input, bytes, 'request');
  }

  /** Runs the operation: a promise, or the items of a stream. */
  async run(request: unknown): Promise<unknown> {
    this.#index = indexOf(request);
    const { signal } = this.#controller;
    this.#begun = await this.#calls.begin(
      this.#operation,
      this.#arrival,
      this.#authorization,
      request,
    );
    const call = contextOf(signal, this.#deadline, this.#begun.principal);
    const result = this.#calls.run(this.#operation, request, call, this.#span);
    // A stream is returned as it is: an async function would not wait for its items.
    if (this.#method.route.stream === 'responses') return { items: result };
    const value = await result;
    this.#index ||= indexOf(value);
    return value;
  }

  /**
   * Frees what the call was admitted with, and records it. node:http2 writes the answer when the
   * event loop turns: the record comes behind it.
   */
  end(error?: unknown): void {
    this.#ended = true;
    this.#begun?.release?.();
    if (this.#calls.observer === undefined) return;
    const micros = Math.round((performance.now() - this.#began) * 1000);
    setImmediate(() => this.#record(micros, error));
  }

  #record(micros: number, error: unknown): void {
    const known = error === undefined ? undefined : publicError(error);
    const principal = this.#begun?.principal;
    this.#calls.observer?.ended({
      ...this.#arrival,
      ...spanRecord(this.#span),
      operation: this.#operation,
      index: this.#index,
      subject: principal?.subject,
      tenant: principal?.tenant,
      status: known === undefined ? 200 : ERROR_CODES[known.code].status,
      code: known?.code,
      cause: known?.cause,
      micros,
      bytes_in: this.bytesIn,
      bytes_out: this.bytesOut,
    });
  }
}

function contextOf(
  signal: AbortSignal,
  deadline: number | undefined,
  principal: Principal | undefined,
) {
  return {
    signal,
    ...(deadline === undefined ? {} : { deadline }),
    ...(principal === undefined ? {} : { principal }),
  };
}

/** The address of a peer without its port, as REST has it: limits count addresses. */
const hostOf = (peer: string): string => peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');

function textOf(metadata: Metadata, key: string): string | undefined {
  const [value] = metadata.get(key);
  return typeof value === 'string' ? value : undefined;
}

/** Milliseconds since 1970; undefined: none. */
function deadlineOf(deadline: Date | number): number | undefined {
  const time = typeof deadline === 'number' ? deadline : deadline.getTime();
  return Number.isFinite(time) ? Math.floor(time) : undefined;
}
