import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { LhsError } from '@lakehouse-search/contract';

/** What a connection reports of a request. Nothing follows `ended` or `failed`. */
export interface Exchange {
  headers(fields: IncomingHttpHeaders): void;
  data(bytes: Buffer): void;
  ended(): void;
  failed(error: LhsError): void;
}

/** Cancels a request. Its exchange hears no more. */
export type Cancel = () => void;

/** What a peer resets a request with that it did not begin. */
const REFUSED = constants.NGHTTP2_REFUSED_STREAM;
/** Pauses between two looks at a peer that owes the answer to a ping before it counts as lost. */
const SILENT_LOOKS = 2;

/**
 * Requests over one HTTP/2 session. A session without requests does not keep the process alive.
 * Requests beyond the peer's limit wait in the session. While requests run, the peer has to answer
 * pings: one that was stopped, or behind a broken network, would keep them for ever.
 */
export class Connection {
  readonly #session: ClientHttp2Session;
  readonly #peer: string;
  #running = 0;
  /** Looks since a ping that has no answer; null: none is open. */
  #silent: number | null = null;

  /** `session`: connected; `peer`: what errors call it; `pingMs`: the pause between two looks. */
  constructor(session: ClientHttp2Session, peer: string, pingMs: number) {
    this.#session = session;
    this.#peer = peer;
    session.unref();
    session.on('error', () => {}); // each request reports it
    const looking = setInterval(() => this.#look(), pingMs).unref();
    session.once('close', () => clearInterval(looking));
  }

  /** Whether it takes new requests. */
  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** Sends a request: its header fields and its body. */
  request(fields: OutgoingHttpHeaders, body: Buffer, exchange: Exchange): Cancel {
    if (!this.isOpen) {
      exchange.failed(away(`the connection to "${this.#peer}" is closed`, true));
      return () => {};
    }
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(fields);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      exchange.failed(away(`cannot send to "${this.#peer}": ${reason}`, true, cause));
      return () => {};
    }
    if (this.#running++ === 0) this.#session.ref();
    stream.end(body);
    return this.#follow(stream, exchange);
  }

  /** Takes no more requests, and ends when those that run have ended. */
  close(): void {
    this.#session.close();
  }

  #look(): void {
    if (this.#silent !== null && ++this.#silent >= SILENT_LOOKS) {
      this.#session.destroy(new Error('it does not answer'));
    } else if (this.#silent === null && this.#running > 0) {
      const isSent = this.#session.ping(() => {
        this.#silent = null;
      });
      if (isSent) this.#silent = 0;
    }
  }

  #follow(stream: ClientHttp2Stream, exchange: Exchange): Cancel {
    let isDone = false;
    let cause: Error | undefined;
    stream.on('response', (fields) => exchange.headers(fields));
    stream.on('trailers', (fields) => exchange.headers(fields));
    stream.on('data', (bytes: Buffer) => {
      if (!isDone) exchange.data(bytes);
    });
    stream.once('end', () => {
      if (isDone || stream.rstCode !== 0) return;
      isDone = true;
      exchange.ended();
    });
    stream.once('error', (error) => {
      cause = error;
    });
    stream.once('close', () => {
      if (--this.#running === 0) this.#session.unref();
      if (isDone) return;
      isDone = true;
      exchange.failed(this.#lost(stream, cause));
    });
    return () => {
      isDone = true;
      stream.close(constants.NGHTTP2_CANCEL);
    };
  }

  /** The error of a request that ended without a response. */
  #lost(stream: ClientHttp2Stream, cause: Error | undefined): LhsError {
    const { rstCode } = stream;
    const isUnsent = stream.pending || rstCode === REFUSED;
    const reason = cause?.message ?? `HTTP/2 error ${rstCode}`;
    return away(`lost "${this.#peer}": ${reason}`, isUnsent, cause);
  }
}

/** `isUnsent`: the peer did not begin the call, so that it may be repeated. */
function away(message: string, isUnsent: boolean, cause?: unknown): LhsError {
  return new LhsError('unreachable', message, {
    details: isUnsent ? { sent: false } : {},
    ...(cause === undefined ? {} : { cause }),
  });
}
