import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { type handleUnaryCall, Metadata, status } from '@grpc/grpc-js';
import { FRAME_HEAD_BYTES, framedMessage, messageFrame } from '@lakehouse-search/client/internal';
import type { Failure, Screen } from './screen.ts';

/** A method whose requests and responses are one message each. */
export interface UnaryMethod {
  readonly path: string;
  readonly requestDeserialize: (bytes: Buffer) => unknown;
  readonly responseSerialize: (value: unknown) => Buffer;
  readonly handle: handleUnaryCall<unknown, unknown>;
  readonly screen: Screen;
}

const HEADERS = Object.freeze({
  ':status': 200,
  'content-type': 'application/grpc+proto',
  'grpc-encoding': 'identity',
  'grpc-accept-encoding': 'identity,deflate,gzip',
});
const WITH_TRAILERS = Object.freeze({ waitForTrailers: true });
const TRAILERS = Object.freeze({ 'grpc-status': '0' });
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A unary call on its HTTP/2 stream, as a handler of grpc-js sees it. It emits `cancelled` if the
 * client or the deadline ends it before its answer.
 */
export class UnaryStream extends EventEmitter {
  cancelled = false;
  /** The request; undefined until it has arrived. */
  request: unknown;
  readonly #method: UnaryMethod;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #deadline: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #metadata: Metadata | undefined;
  #initial: Metadata | undefined;
  #isEnded = false;

  /** `millis`: time that the client waits; Infinity: for ever. */
  constructor(
    method: UnaryMethod,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    millis: number,
  ) {
    super();
    this.#method = method;
    this.#stream = stream;
    this.#headers = headers;
    this.#deadline = Date.now() + millis;
    if (millis !== Number.POSITIVE_INFINITY) this.#limit(millis);
  }

  /** Reads the request once its caller is admitted, and answers it. */
  start(): void {
    this.#stream.on('error', () => {});
    this.#stream.on('close', () => this.#cancel());
    try {
      const admitted = this.#method.screen.admit(this);
      if (admitted === undefined) this.#read();
      else
        admitted.then(
          () => this.#read(),
          (error) => this.#fail(error),
        );
    } catch (error) {
      this.#fail(error as Failure);
    }
  }

  get metadata(): Metadata {
    this.#metadata ??= Metadata.fromHttp2Headers(this.#headers);
    return this.#metadata;
  }

  getPeer(): string {
    const { remoteAddress, remotePort } = this.#stream.session?.socket ?? {};
    return remoteAddress === undefined ? 'unknown' : `${remoteAddress}:${remotePort}`;
  }

  getDeadline(): number {
    return this.#deadline;
  }

  /** Initial metadata; it leaves with the answer. */
  sendMetadata(metadata: Metadata): void {
    this.#initial = metadata;
  }

  #limit(millis: number): void {
    this.#timer = setTimeout(
      () => {
        this.#fail({ code: status.DEADLINE_EXCEEDED, details: 'Deadline exceeded' });
        this.#stop();
      },
      Math.min(millis, LONGEST_TIMER_MS),
    );
  }

  /** Nothing is read before: the flow control of HTTP/2 holds what the client sends. */
  #read(): void {
    if (this.#isEnded) return;
    this.#stream.on('data', (part: Buffer) => this.#add(part));
    this.#stream.on('end', () => this.#run());
  }

  #add(part: Buffer): void {
    if (this.#isEnded) return;
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes < FRAME_HEAD_BYTES) return;
    const [first] = this.#parts;
    const head = first.length >= FRAME_HEAD_BYTES ? first : this.#joined();
    const length = head.readUInt32BE(1);
    const { screen } = this.#method;
    if (length > screen.mostBytes) this.#fail(screen.tooLarge(this, length));
    else if (this.#bytes > FRAME_HEAD_BYTES + length) {
      const details = `Received a second request message for unary method ${this.#method.path}`;
      this.#fail({ code: status.UNIMPLEMENTED, details });
    }
  }

  /** All bytes that have arrived, in one part. */
  #joined(): Buffer {
    if (this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts)];
    return this.#parts[0];
  }

  #run(): void {
    if (this.#isEnded) return;
    const message = this.#bytes === 0 ? undefined : framedMessage(this.#joined());
    if (message === undefined) {
      const details = `Received no request message for unary method ${this.#method.path}`;
      this.#fail({ code: status.UNIMPLEMENTED, details });
      return;
    }
    try {
      this.request = this.#method.requestDeserialize(message);
    } catch {
      this.#fail({ code: status.INTERNAL, details: 'Error deserializing request' });
      return;
    }
    this.#handle();
  }

  #handle(): void {
    try {
      this.#method.handle(this as never, (error, value) => {
        if (error !== null && error !== undefined) this.#fail(error as Failure);
        else this.#answer(value);
      });
    } catch {
      this.#fail({ code: status.UNKNOWN, details: 'Unknown error' });
    }
  }

  #answer(value: unknown): void {
    if (!this.#end()) return;
    const body = messageFrame(this.#method.responseSerialize(value));
    const stream = this.#stream;
    stream.respond({ ...HEADERS, ...this.#initial?.toHttp2Headers() }, WITH_TRAILERS);
    stream.on('wantTrailers', () => stream.sendTrailers(TRAILERS));
    stream.end(body);
  }

  #fail({ code = status.UNKNOWN, details = '', metadata }: Failure): void {
    if (!this.#end()) return;
    const trailers = {
      'grpc-status': String(code),
      'grpc-message': encodeURI(details.toWellFormed()),
      ...metadata?.toHttp2Headers(),
    };
    const stream = this.#stream;
    if (this.#initial === undefined) {
      stream.respond({ ...HEADERS, ...trailers }, { endStream: true });
    } else {
      stream.respond({ ...HEADERS, ...this.#initial.toHttp2Headers() }, WITH_TRAILERS);
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      stream.end();
    }
    this.#parts = [];
    // What the client still sends is read, so that its other calls go on.
    stream.resume();
  }

  /** Whether an answer can still be sent; only one is. */
  #end(): boolean {
    clearTimeout(this.#timer);
    if (this.#isEnded || this.#stream.destroyed || this.#stream.closed) return false;
    this.#isEnded = true;
    return true;
  }

  /** The stream has closed. */
  #cancel(): void {
    clearTimeout(this.#timer);
    if (!this.#isEnded) this.#stop();
  }

  #stop(): void {
    this.#isEnded = true;
    this.cancelled = true;
    this.emit('cancelled');
  }
}
