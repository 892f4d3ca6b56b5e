import { Counter, Histogram, type Registry } from 'prom-client';
import type { CallRecord } from './observer.ts';

/** Bounds of the histogram of latencies in seconds, from half a millisecond. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Calls that are counted together: one at a time, between other work, takes longer. */
const TOGETHER = 64;
const NONE = '';

/** The metrics of calls. */
export interface CallMetrics {
  ended(record: CallRecord): void;
  /** Counts the calls that wait for others: before the metrics are read. */
  count(): void;
}

/** Metrics of calls in some registers. `indexOf`: the label of an index. */
export function callMetrics(
  registers: Registry[],
  indexOf: (index: string | undefined) => string,
): CallMetrics {
  const add = adder(registers, indexOf);
  let waiting: CallRecord[] = [];
  const count = (): void => {
    const ended = waiting;
    waiting = [];
    for (const record of ended) add(record);
  };
  return {
    count,
    ended(record) {
      waiting.push(record);
      if (waiting.length >= TOGETHER) count();
    },
  };
}

function adder(
  registers: Registry[],
  indexOf: (index: string | undefined) => string,
): (record: CallRecord) => void {
  const seconds = new Histogram({
    name: 'lhs_call_duration_seconds',
    help: 'time from the arrival of a call to the end of its response',
    labelNames: ['operation', 'index'],
    buckets: SECONDS,
    registers,
  });
  const calls = new Counter({
    name: 'lhs_calls_total',
    help: 'calls by operation, index and status',
    labelNames: ['operation', 'index', 'transport', 'status'],
    registers,
  });
  const bytes = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['transport'], registers });
  const received = bytes('lhs_received_bytes_total', 'bytes of requests');
  const sent = bytes('lhs_sent_bytes_total', 'bytes of responses');
  return (record) => {
    const { operation = NONE, transport, status } = record;
    const index = indexOf(record.index);
    seconds.observe({ operation, index }, record.micros / 1e6);
    calls.inc({ operation, index, transport, status });
    received.inc({ transport }, record.bytes_in);
    sent.inc({ transport }, record.bytes_out);
  };
}
