/** Spans of calls between the processes of a cluster. They are made only if spans are exported. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ERROR_CODES, LhsError } from '@lakehouse-search/contract';
import { KIND_CLIENT, KIND_SERVER, type OtlpSpan, STATUS_ERROR, type Value } from './otlp-span.ts';
import { childOf, type Span, spanOf, traceparentOf } from './trace-context.ts';

/** A read of a shard, or of a whole commit, as a span describes it. */
export interface NodeReadSpan {
  /** Name or address of the node. */
  readonly node: string;
  readonly index: string;
  /** Ordinals of the shards that are read; none: the whole commit of the node. */
  readonly shards: readonly number[];
  /** An operation of a shard, or a read of the whole commit. */
  readonly operation: string;
}

/** Where finished spans go. */
export interface SpanSink {
  add(span: OtlpSpan): void;
}

/** Phases of a search, by the operations of shards. Other operations are phases of their own. */
const PHASES: Readonly<Record<string, string>> = {
  statistics: 'statistics',
  search: 'search',
  nearest: 'search',
  aggregate: 'search',
  suggest: 'search',
  keys: 'search',
  explain: 'search',
  fetch: 'fetch',
  rows: 'fetch',
};

/** Makes the spans of one process. */
export class NodeSpans {
  readonly #sink: SpanSink;
  readonly #spans = new AsyncLocalStorage<Span>();

  constructor(sink: SpanSink) {
    this.#sink = sink;
  }

  /** Runs a call: reads of nodes that it makes are children of its span. */
  within<T>(span: Span, work: () => T): T {
    return this.#spans.run(span, work);
  }

  /** A read that this process sends; `work` receives the header `traceparent`. */
  sent<T>(read: NodeReadSpan, work: (traceparent?: string) => Promise<T>): Promise<T> {
    const parent = this.#spans.getStore();
    if (parent === undefined) return work();
    const span = { ...childOf(parent), flags: 1 };
    return this.#timed(span, KIND_CLIENT, read, () => work(traceparentOf(span)));
  }

  /** A read that this process answers. */
  received<T>(
    traceparent: string | undefined,
    read: NodeReadSpan,
    work: () => Promise<T>,
  ): Promise<T> {
    return this.#timed(spanOf(traceparent), KIND_SERVER, read, work);
  }

  async #timed<T>(
    span: Span,
    kind: number,
    read: NodeReadSpan,
    work: () => Promise<T>,
  ): Promise<T> {
    const began = performance.now();
    const end = (error?: unknown) => this.#sink.add(readSpan(span, kind, read, began, error));
    try {
      const value = await work();
      end();
      return value;
    } catch (error) {
      end(error);
      throw error;
    }
  }
}

function readSpan(
  { traceId, spanId, parentId }: Span,
  kind: number,
  { node, index, shards, operation }: NodeReadSpan,
  began: number,
  error: unknown,
): OtlpSpan {
  const code = error === undefined ? undefined : codeOf(error);
  const texts = {
    'lhs.node': node,
    'lhs.index': index,
    'lhs.shards': shards.join(','),
    'lhs.phase': PHASES[operation] ?? operation,
    'lhs.operation': operation,
    'error.type': code,
  };
  return {
    traceId,
    spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    name: `node.${operation}`,
    kind,
    startTimeUnixNano: nanosOf(began),
    endTimeUnixNano: nanosOf(performance.now()),
    attributes: [
      ...Object.entries(texts).flatMap(([key, text]) =>
        text === undefined ? [] : [{ key, value: { stringValue: text } as Value }],
      ),
      { key: 'lhs.status', value: { intValue: String(statusOf(error)) } },
    ],
    status: code === undefined ? {} : { code: STATUS_ERROR, message: code },
  };
}

const codeOf = (error: unknown): string => (error instanceof LhsError ? error.code : 'internal');
const statusOf = (error: unknown): number =>
  error === undefined ? 200 : error instanceof LhsError ? ERROR_CODES[error.code].status : 500;

/** A moment of this process in nanoseconds since 1970. */
const nanosOf = (at: number): string =>
  String(BigInt(Math.round((performance.timeOrigin + at) * 1000)) * 1000n);
