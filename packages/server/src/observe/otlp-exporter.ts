/**
 * Spans of calls for a collector of OpenTelemetry: OTLP over HTTP with JSON bodies, in batches. A
 * collector that does not answer costs its spans and nothing else.
 */
import type { Logger } from 'pino';
import type { CallRecord, Observer } from './observer.ts';

/** Where spans go. */
export interface OtlpOptions {
  /** URL of the collector; `/v1/traces` is added to it. */
  readonly endpoint: string;
  /** Role of this process, as `service.name` ends. */
  readonly role: 'all' | 'gateway' | 'control-plane';
  readonly logger: Pick<Logger, 'warn'>;
  /** Longest time that a span waits. Default 5,000. */
  readonly delayMs?: number;
}

const DELAY_MS = 5000;
const BATCH = 512;
/** Spans that wait at most; later ones are dropped. */
const MOST_WAITING = 4096;
const TIMEOUT_MS = 10_000;
/** Kind and status of a span, as OTLP numbers them. */
const KIND_SERVER = 2;
const STATUS_ERROR = 2;

type Value = { readonly stringValue: string } | { readonly intValue: string };

/** A span in the JSON form of OTLP: ids are hexadecimal, 64-bit integers are texts. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

/** Exports the span of each call that ends. Texts of queries are never part of a span. */
export class OtlpExporter implements Observer {
  readonly #options: OtlpOptions;
  readonly #timer: NodeJS.Timeout;
  #waiting: OtlpSpan[] = [];
  #dropped = 0;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: OtlpOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.flush(), options.delayMs ?? DELAY_MS);
    this.#timer.unref();
  }

  ended(record: CallRecord): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(spanOfCall(record, Date.now()));
    if (this.#waiting.length === BATCH) void this.flush();
  }

  /** Sends what waits; it has been sent, or dropped, when the promise resolves. */
  flush(): Promise<void> {
    this.#sending = this.#sending.then(() => this.#send());
    return this.#sending;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #send(): Promise<void> {
    const spans = this.#waiting;
    if (spans.length === 0) return;
    this.#waiting = [];
    const { endpoint, role, logger } = this.#options;
    const lost = this.#dropped;
    this.#dropped = 0;
    if (lost > 0) logger.warn({ spans: lost }, 'spans were dropped: the collector is too slow');
    try {
      const response = await fetch(`${endpoint.replace(/\/+$/, '')}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(spans, role)),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.arrayBuffer();
      if (response.ok) return;
      logger.warn({ status: response.status, spans: spans.length }, 'the collector refused spans');
    } catch (error) {
      logger.warn({ err: error, spans: spans.length }, 'cannot send spans to the collector');
    }
  }
}

/** The span of a call that has ended at a time, milliseconds since 1970. */
export function spanOfCall(record: CallRecord, endMs: number): OtlpSpan {
  const { trace_id, span_id, parent_span_id, operation, transport, status, code } = record;
  const end = BigInt(Math.round(endMs * 1000)) * 1000n;
  const start = end - BigInt(Math.round(record.micros)) * 1000n;
  const texts = {
    'lhs.operation': operation,
    'lhs.index': record.index,
    'lhs.transport': transport,
    'lhs.request_id': record.request_id,
    'error.type': code,
    'enduser.id': record.subject,
  };
  const counts = {
    'http.response.status_code': status,
    'http.request.body.size': record.bytes_in,
    'http.response.body.size': record.bytes_out,
  };
  return {
    traceId: trace_id,
    spanId: span_id,
    ...(parent_span_id === undefined ? {} : { parentSpanId: parent_span_id }),
    name: operation ?? transport,
    kind: KIND_SERVER,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(end),
    attributes: [
      ...Object.entries(texts).flatMap(([key, text]) =>
        text === undefined ? [] : [{ key, value: { stringValue: text } }],
      ),
      ...Object.entries(counts).map(([key, count]) => {
        return { key, value: { intValue: String(count) } };
      }),
    ],
    status: status >= 500 ? { code: STATUS_ERROR, ...(code && { message: code }) } : {},
  };
}

const bodyOf = (spans: readonly OtlpSpan[], role: OtlpOptions['role']) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: `lhs-${role}` } }] },
      scopeSpans: [{ scope: { name: '@lakehouse-search/server' }, spans }],
    },
  ],
});
