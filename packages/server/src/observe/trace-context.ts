/** W3C Trace Context: which trace a call belongs to, and its own span in it. */
import { randomBytes } from 'node:crypto';

/** The span of one call. Ids are lower-case hex digits. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** The span of the caller; absent: the call begins a trace. */
  readonly parentId?: string;
  /** Bit 0: the caller records the trace. */
  readonly flags: number;
}

/** Version, trace, parent, flags; later versions may have more parts. */
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

/**
 * A new span: a child of that of the header `traceparent`, or the first of a new trace if the
 * header is missing or invalid, as the recommendation demands.
 */
export function spanOf(traceparent: string | readonly string[] | undefined): Span {
  const spanId = randomHex(SPAN_BYTES);
  const parts = typeof traceparent === 'string' ? FORM.exec(traceparent) : null;
  if (parts === null) return { traceId: randomHex(TRACE_BYTES), spanId, flags: 0 };
  const [, version, traceId, parentId, flags, rest] = parts;
  const isValid =
    version !== 'ff' && !(version === '00' && rest !== undefined) && !isZero(traceId, parentId);
  if (!isValid) return { traceId: randomHex(TRACE_BYTES), spanId, flags: 0 };
  return { traceId, spanId, parentId, flags: Number.parseInt(flags, 16) & 1 };
}

/** A span of work that a span consists of. */
export const childOf = ({ spanId: parentId, ...span }: Span): Span => ({
  ...span,
  spanId: randomHex(SPAN_BYTES),
  parentId,
});

/** The header by which the next service finds this span. */
export const traceparentOf = ({ traceId, spanId, flags }: Span): string =>
  `00-${traceId}-${spanId}-0${flags}`;

/** What the record of a call says of its span. */
export interface SpanRecord {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id?: string;
}

/** The ids of a span as logs have them. */
export const spanRecord = ({ traceId, spanId, parentId }: Span): SpanRecord => ({
  trace_id: traceId,
  span_id: spanId,
  ...(parentId === undefined ? {} : { parent_span_id: parentId }),
});

/** Random digits for the next ids: one draw for many costs less than a draw for each. */
const DRAWN_BYTES = 4096;
let drawn = '';
let used = 0;

function randomHex(bytes: number): string {
  if (used + 2 * bytes > drawn.length) {
    drawn = randomBytes(DRAWN_BYTES).toString('hex');
    used = 0;
  }
  used += 2 * bytes;
  return drawn.slice(used - 2 * bytes, used);
}

const isZero = (...ids: readonly string[]): boolean => ids.some((id) => /^0+$/.test(id));
