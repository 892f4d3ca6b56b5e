import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { callMetrics } from './call-metrics.ts';
import type { Observer } from './observer.ts';

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
  /** Reads that a gateway has sent to a second node. Absent: it is no gateway over nodes. */
  readonly hedged?: () => number;
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
  /** Counts a failure of work that is tried again; without an index: of all. */
  failed(work: string, index: string): void;
}

/** Metrics with their own registry: several servers of a process do not share them. */
export function createMetrics({ running, isKnown, resultCache, hedged }: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
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
  const failures = new Counter({
    name: 'lhs_loop_failures_total',
    help: 'failures of work that is tried again; without an index: of all indexes',
    labelNames: ['work', 'index'],
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
  if (hedged !== undefined) {
    const help = 'reads that were sent to a second node because the first one was late';
    counterOf(registers, 'lhs_hedged_calls_total', help, hedged);
  }
  const indexOf = indexLabels(isKnown);
  const calls = callMetrics(registers, indexOf);
  return {
    contentType: registry.contentType,
    registry,
    text() {
      calls.count();
      return registry.metrics();
    },
    synced: (index) => commits.inc({ index: indexOf(index) }),
    failing: (index, isFailing) => faults.set({ index: indexOf(index) }, isFailing ? 1 : 0),
    failed: (work, index) => failures.inc({ work, index: indexOf(index) }),
    ended: (record) => calls.ended(record),
  };
}

/** A counter of what is counted elsewhere. */
const counterOf = (registers: Registry[], name: string, help: string, read: () => number) =>
  new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset();
      this.inc(read());
    },
  });

/** Hits, misses and bytes of the cache of answers. */
function cacheMetrics(registers: Registry[], figures: () => CacheFigures | null): void {
  const counter = (name: string, help: string, of: keyof CacheFigures) =>
    counterOf(registers, name, help, () => figures()?.[of] ?? 0);
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
