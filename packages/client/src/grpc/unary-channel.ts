import type { OutgoingHttpHeaders } from 'node:http2';
import { LhsError } from '@lakehouse-search/contract';
import type { TransportCall } from '../remote/transport.ts';
import { watchEnd } from '../remote/wanted.ts';
import { connect, type Target } from './connect.ts';
import type { Connection } from './connection.ts';
import { messageFrame } from './message-frame.ts';
import { requestFields } from './unary-request.ts';
import { UnaryResponse } from './unary-response.ts';

/**
 * Unary calls over gRPC to one server, over one connection that is opened with the first call and
 * again when it was lost.
 */
export interface UnaryChannel {
  /** The bytes of the answer. Every error is an `LhsError`. */
  call(path: string, message: Uint8Array, call: TransportCall): Promise<Buffer>;
  /** Refuses further calls, and ends when those that run have ended. */
  close(): void;
}

/**
 * A channel to HOST:PORT. `secure`: TLS with the certificates of the system. A server that answers
 * no ping for two pauses of `pingMs` (10 s) counts as lost.
 */
export function openChannel(address: string, secure: boolean, pingMs?: number): UnaryChannel {
  const authority = /:\d+$/.test(address) ? address : `${address}:${DEFAULT_PORT}`;
  return new Channel({ authority, secure, pingMs });
}

/** After a connection failed, calls fail at once for this time. */
const PAUSE_MS = 100;
const DEFAULT_PORT = 443;

class Channel implements UnaryChannel {
  readonly #target: Target;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #failure: { readonly error: unknown; readonly until: number } | undefined;
  #isClosed = false;

  constructor(target: Target) {
    this.#target = target;
  }

  call(path: string, message: Uint8Array, call: TransportCall): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const own = new Call(resolve, reject, call);
      const fields = requestFields(path, call);
      if (this.#connection?.isOpen) {
        own.sendOver(this.#connection, fields, message);
        return;
      }
      this.#connect().then((connection) => own.sendOver(connection, fields, message), own.fail);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.close();
    this.#connecting?.then(
      (connection) => connection.close(),
      () => {},
    );
  }

  /** The connection, or the attempt that is under way. */
  async #connect(): Promise<Connection> {
    if (this.#isClosed) throw new LhsError('closed', 'the client is closed');
    if (this.#connection?.isOpen) return this.#connection;
    if (this.#connecting !== undefined) return this.#connecting;
    if (this.#failure !== undefined && performance.now() < this.#failure.until) {
      throw this.#failure.error;
    }
    this.#connecting = connect(this.#target);
    try {
      this.#connection = await this.#connecting;
      return this.#connection;
    } catch (error) {
      this.#failure = { error, until: performance.now() + PAUSE_MS };
      throw error;
    } finally {
      this.#connecting = undefined;
    }
  }
}

/** A call until its end: its answer, an error, its deadline, or its signal. */
class Call {
  readonly #resolve: (bytes: Buffer) => void;
  readonly #reject: (error: unknown) => void;
  /** Forgets signal and timer. */
  readonly #forget: (() => void) | undefined;
  #cancel: (() => void) | undefined;
  #isDone = false;

  constructor(
    resolve: (bytes: Buffer) => void,
    reject: (error: unknown) => void,
    call: TransportCall,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#forget = watchEnd(call, (error) => this.#stop(error));
    if (this.#isDone) this.#forget();
  }

  readonly fail = (error: unknown): void => {
    if (this.#end()) this.#reject(error);
  };

  sendOver(connection: Connection, fields: OutgoingHttpHeaders, message: Uint8Array): void {
    if (this.#isDone) return;
    const response = new UnaryResponse((error, bytes) => {
      if (!this.#end()) return;
      if (error === undefined) this.#resolve(bytes);
      else this.#reject(error);
    });
    this.#cancel = connection.request(fields, messageFrame(message), response);
  }

  #stop(error: LhsError): void {
    this.fail(error);
    this.#cancel?.();
  }

  /** Whether the call had not ended before. */
  #end(): boolean {
    if (this.#isDone) return false;
    this.#isDone = true;
    this.#forget?.();
    return true;
  }
}
