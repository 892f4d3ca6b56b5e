import type { ServerUnaryCall } from '@grpc/grpc-js';
import { decodeMessage, type WireMethod } from '@lakehouse-search/client/internal';
import { ERROR_CODES, type Principal } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';
import { type Begun, type Calls, indexOf, refusedCaller } from '../calls/calls.ts';
import { publicError } from '../calls/public-error.ts';
import { spanRecord } from '../observe/trace-context.ts';
import { type Arrived, arrivedOf, traceResponse } from './arrived.ts';
import { requireBytes } from './call-screen.ts';

/** What all kinds of gRPC calls have. */
export interface AnyCall
  extends Pick<
    ServerUnaryCall<Buffer, Buffer>,
    'metadata' | 'getPeer' | 'getDeadline' | 'sendMetadata'
  > {
  on(event: 'cancelled', ended: () => void): unknown;
}

/** One gRPC call from its arrival to its record. */
export class GrpcCall {
  bytesIn = 0;
  bytesOut = 0;
  readonly #calls: Calls;
  readonly #method: WireMethod;
  readonly #began = performance.now();
  readonly #arrived: Arrived;
  readonly #deadline: number | undefined;
  readonly #controller = new AbortController();
  #begun: Begun | undefined;
  #index: string | undefined;
  #ended = false;

  constructor(calls: Calls, method: WireMethod, call: AnyCall) {
    this.#calls = calls;
    this.#method = method;
    this.#arrived = arrivedOf(call);
    traceResponse(call, this.#arrived.span);
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
    // a message that was compressed has been read with fewer bytes
    requireBytes(this.#method, bytes.length);
    return decodeMessage(this.#method.input, bytes, 'request');
  }

  /** Runs the operation: a promise, or the items of a stream. */
  async run(request: unknown): Promise<unknown> {
    this.#index = indexOf(request);
    const { signal } = this.#controller;
    const { arrival, authorization, span } = this.#arrived;
    this.#begun = await this.#calls.begin(this.#operation, arrival, authorization, request);
    const call = contextOf(signal, this.#deadline, this.#begun.principal);
    const result =
      this.#operation === 'login'
        ? this.#calls.login(request, arrival.remote, call)
        : this.#calls.run(this.#operation, request, call, span);
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
    const principal = this.#begun?.principal ?? refusedCaller(error);
    this.#calls.observer?.ended({
      ...this.#arrived.arrival,
      ...spanRecord(this.#arrived.span),
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

/** Milliseconds since 1970; undefined: none. */
function deadlineOf(deadline: Date | number): number | undefined {
  const time = typeof deadline === 'number' ? deadline : deadline.getTime();
  return Number.isFinite(time) ? Math.floor(time) : undefined;
}
