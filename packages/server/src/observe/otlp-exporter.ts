/**
 * Spans of calls for a collector of OpenTelemetry: OTLP over HTTP with JSON bodies, in batches. A
 * collector that does not answer costs its spans and nothing else.
 */
import type { SpanSink } from './node-spans.ts';
import type { CallRecord, Observer } from './observer.ts';
import { type OtlpSpan, spanOfCall } from './otlp-span.ts';
import type { RepeatedFaults } from './repeated-faults.ts';

/** Where spans go. */
export interface OtlpOptions {
  /** URL of the collector; `/v1/traces` is added to it. */
  readonly endpoint: string;
  /** Role of this process, as `service.name` ends. */
  readonly role: 'all' | 'gateway' | 'control-plane' | 'node';
  readonly faults: Pick<RepeatedFaults, 'failed' | 'succeeded'>;
  /** Longest time that a span waits. Default 5,000. */
  readonly delayMs?: number;
}

const DELAY_MS = 5000;
const BATCH = 512;
/** Spans that wait at most; later ones are dropped. */
const MOST_WAITING = 4096;
const TIMEOUT_MS = 10_000;
const EXPORT = 'export of spans';

/** Exports the span of each call that ends. Texts of queries are never part of a span. */
export class OtlpExporter implements Observer, SpanSink {
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
    this.add(spanOfCall(record, Date.now()));
  }

  /** Sends a span with the next batch. */
  add(span: OtlpSpan): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(span);
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
    const { endpoint, role, faults } = this.#options;
    const lost = this.#dropped;
    this.#dropped = 0;
    try {
      const response = await fetch(`${endpoint.replace(/\/+$/, '')}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(spans, role)),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`the collector refused spans with ${response.status}`);
      if (lost > 0) throw new Error(`${lost} spans were dropped: the collector is too slow`);
      faults.succeeded(EXPORT);
    } catch (error) {
      faults.failed(EXPORT, error);
    }
  }
}

const bodyOf = (spans: readonly OtlpSpan[], role: OtlpOptions['role']) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: `lhs-${role}` } }] },
      scopeSpans: [{ scope: { name: '@lakehouse-search/server' }, spans }],
    },
  ],
});
