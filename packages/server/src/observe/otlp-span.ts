import type { CallRecord } from './observer.ts';

/** Kinds of a span, and the status of a failed one, as OTLP numbers them. */
export const KIND_SERVER = 2;
export const KIND_CLIENT = 3;
export const STATUS_ERROR = 2;

/** A value of an attribute. */
export type Value = { readonly stringValue: string } | { readonly intValue: string };

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
