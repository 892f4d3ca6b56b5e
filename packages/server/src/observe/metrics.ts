import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CallRecord, Observer } from './observer.ts';

/** Bounds of the histogram of latencies in seconds, from half a millisecond. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Names of indexes that have series of their own; the calls of all others are counted together. */
const MOST_INDEXES = 100;
const OTHER = 'other';
const NONE = '';

/** What the metrics read when they are scraped. */
export interface MetricSources {
  /** Calls that run now. */
  readonly running: () => number;
  /** Names and aliases of the indexes, so that callers cannot invent label values. */
  readonly isKnown: (index: string) => boolean;
  /** Figures of the cache of answers; null or absent: there is none. */
  readonly resultCache?: () => CacheFigures | null;
}

/** Figures of a cache since the process began. */
export interface CacheFigures {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

/** The metrics of a server, as Prometheus scrapes them. */
export interface Metrics extends Observer {
  /** Names and help of what `/metrics` returns, in the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
  /** For metrics of other parts of the process. */
  readonly registry: Registry;
  /** Counts a commit of the background sync. */
  synced(index: string): void;
  /** Whether the background sync of an index waits after a fault. */
  failing(index: string, isFailing: boolean): void;
}

/** Metrics with their own registry: several servers of a process do not share them. */
export function createMetrics({ running, isKnown, resultCache }: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const labelNames = ['operation', 'index', 'transport'];
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
    labelNames: [...labelNames, 'status'],
    registers,
  });
  const received = new Counter({
    name: 'lhs_received_bytes_total',
    help: 'bytes of requests',
    labelNames: ['transport'],
    registers,
  });
  const sent = new Counter({
    name: 'lhs_sent_bytes_total',
    help: 'bytes of responses',
    labelNames: ['transport'],
    registers,
  });
  const commits = new Counter({
    name: 'lhs_sync_commits_total',
    help: 'commits of the background sync',
    labelNames: ['index'],
    registers,
  });
  const faults = new Gauge({
    name: 'lhs_sync_failing',
    help: '1 while the background sync of an index waits after a fault',
    labelNames: ['index'],
    registers,
  });
  new Gauge({
    name: 'lhs_running_calls',
    help: 'calls that run now',
    registers,
    collect() {
      this.set(running());
    },
  });
  if (resultCache !== undefined) cacheMetrics(registers, resultCache);
  const indexOf = indexLabels(isKnown);
  return {
    contentType: registry.contentType,
    registry,
    text: () => registry.metrics(),
    synced: (index) => commits.inc({ index: indexOf(index) }),
    failing: (index, isFailing) => faults.set({ index: indexOf(index) }, isFailing ? 1 : 0),
    ended(record: CallRecord) {
      const { operation = NONE, transport, status } = record;
      const index = indexOf(record.index);
      seconds.observe({ operation, index }, record.micros / 1e6);
      calls.inc({ operation, index, transport, status });
      received.inc({ transport }, record.bytes_in);
      sent.inc({ transport }, record.bytes_out);
    },
  };
}

/** Hits, misses and bytes of the cache of answers. */
function cacheMetrics(registers: Registry[], figures: () => CacheFigures | null): void {
  const counter = (name: string, help: string, of: keyof CacheFigures) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(figures()?.[of] ?? 0);
      },
    });
  counter('lhs_result_cache_hits_total', 'reads that the cache of answers answered', 'hits');
  counter('lhs_result_cache_misses_total', 'reads that were not in the cache of answers', 'misses');
  new Gauge({
    name: 'lhs_result_cache_bytes',
    help: 'bytes of cached answers, as an estimate',
    registers,
    collect() {
      this.set(figures()?.bytes ?? 0);
    },
  });
}

/** The label of an index: its name, or `other` for names that do not exist or came too late. */
function indexLabels(isKnown: MetricSources['isKnown']): (index: string | undefined) => string {
  const labels = new Set<string>();
  return (index) => {
    if (index === undefined || index === '') return NONE;
    if (labels.has(index)) return index;
    if (labels.size >= MOST_INDEXES || !isKnown(index)) return OTHER;
    labels.add(index);
    return index;
  };
}
