/** Requests over HTTP to one service. Their errors are those of the library that sends them. */
export interface HttpExchange {
  /** Sends a request and reads its response to the end. */
  whole(request: HttpRequest, limit: CallLimit): Promise<WholeResponse>;
  /** Sends a request. The caller reads the body, or leaves its loop. */
  open(request: HttpRequest, limit: CallLimit): Promise<OpenResponse>;
  /** Closes connections that are not in use. */
  close(): void;
}

/** A request of HTTP. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query; they follow the URL of the service. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Status and headers of a response. */
export interface HttpHead {
  readonly status: number;
  /** The header `retry-after`. */
  readonly retryAfter: string | undefined;
  /** The header `content-type`. */
  readonly contentType: string | undefined;
  /** The header `location`, where it can be read. */
  readonly location: string | undefined;
}

/** A response that has arrived. */
export interface WholeResponse extends HttpHead {
  readonly text: string;
}

/** A response whose body arrives while it is read. */
export interface OpenResponse extends HttpHead {
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** When a request has to end. */
export interface CallLimit {
  /** `stop` ends the request; it is called at once if the time is over already. */
  onStop(stop: () => void): void;
}
