import type { IncomingHttpHeaders } from 'node:http2';
import { LhsError } from '@lakehouse-search/contract';
import type { Exchange } from './connection.ts';
import { framedMessage } from './message-frame.ts';
import { errorOfStatus } from './status-error.ts';

const NO_BYTES = Buffer.alloc(0);
const UNKNOWN = 2;
const INTERNAL = 13;
const UNAVAILABLE = 14;
/** Statuses of gRPC for statuses of HTTP that a proxy answers with. */
const OF_HTTP: Readonly<Record<number, number>> = {
  400: INTERNAL,
  401: 16,
  403: 7,
  404: 12,
  429: UNAVAILABLE,
  502: UNAVAILABLE,
  503: UNAVAILABLE,
  504: UNAVAILABLE,
};

/** What a call ends with: an error, or the bytes of its answer. */
export type Ended = (error: LhsError | undefined, bytes: Buffer) => void;

/** Collects the response of a unary call. */
export class UnaryResponse implements Exchange {
  readonly #ended: Ended;
  readonly #parts: Buffer[] = [];
  #fields: IncomingHttpHeaders | undefined;
  /** The last fields: those of a response without a body, or its trailers. */
  #last: IncomingHttpHeaders | undefined;

  constructor(ended: Ended) {
    this.#ended = ended;
  }

  headers(fields: IncomingHttpHeaders): void {
    this.#fields ??= fields;
    this.#last = fields;
  }

  data(bytes: Buffer): void {
    this.#parts.push(bytes);
  }

  failed(error: LhsError): void {
    this.#ended(error, NO_BYTES);
  }

  ended(): void {
    const status = this.#last?.['grpc-status'];
    if (status !== '0') {
      this.#ended(errorOfStatus(this.#statusOf(status)), NO_BYTES);
      return;
    }
    const bytes = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    const message = bytes[0] === 0 ? framedMessage(bytes) : undefined;
    if (message !== undefined) this.#ended(undefined, message);
    else this.#ended(new LhsError('internal', 'the response is no message of gRPC'), NO_BYTES);
  }

  /** The status of a call that failed, as `errorOfStatus` reads it. */
  #statusOf(status: string | string[] | undefined): object {
    if (status === undefined) {
      const http = Number(this.#fields?.[':status'] ?? 0);
      const details = `the response has no status of gRPC; its HTTP status is ${http || 'none'}`;
      return { code: OF_HTTP[http] ?? UNKNOWN, details };
    }
    const [bytes] = text(this.#last!['grpc-status-details-bin'])?.split(',') ?? [];
    return {
      code: Number(status),
      details: decoded(text(this.#last!['grpc-message']) ?? ''),
      metadata: { get: () => (bytes === undefined ? [] : [Buffer.from(bytes, 'base64')]) },
    };
  }
}

/** A field of one value, or of several joined by commas. */
const text = (field: string | string[] | undefined): string | undefined => field?.toString();

/** A message of a status, in which bytes are percent-encoded. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
