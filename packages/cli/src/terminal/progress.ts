import type { Progress } from '@lakehouse-search/contract';
import type { WriteProgress } from '@lakehouse-search/lake';
import { bytes, count, duration, rate } from './figures.ts';
import { jsonText } from './json-text.ts';
import type { Terminal } from './terminal.ts';
import { cut, width } from './text.ts';

/** Work on documents of an index, or on rows whose number may not be known yet. */
export type Reported = Progress | WriteProgress;

/** Tells how long work goes on; `stop` leaves the line empty for what comes next. */
export interface ProgressReport {
  update(progress: Reported): void;
  stop(): void;
}

const REDRAW_MS = 100;
const EVENT_MS = 1000;
const BAR = 20;
const LEAST_BAR = 5;

/**
 * A line on stderr, redrawn at most ten times a second; with `json` one NDJSON event a second on
 * stderr; on a pipe nothing until the end.
 */
export function progressReport(
  terminal: Terminal,
  label: string,
  json: boolean,
  subject: 'index' | 'table' = 'index',
): ProgressReport {
  let started = performance.now();
  let stage = '';
  let drawn = -Infinity;
  const due = (every: number) => {
    const now = performance.now();
    if (now - drawn < every) return false;
    drawn = now;
    return true;
  };
  if (json) {
    return {
      update: (p) => {
        if (due(EVENT_MS)) terminal.err(jsonText({ [subject]: label, ...event(p) }));
      },
      stop: () => {},
    };
  }
  if (!terminal.progress) return { update: () => {}, stop: () => {} };
  return {
    update: (p) => {
      if (stageOf(p) !== stage) started = performance.now();
      stage = stageOf(p);
      if (!due(REDRAW_MS)) return;
      const room = terminal.errWidth - 1;
      const line = progressLine(label, p, performance.now() - started, room);
      process.stderr.write(`\r\u001b[K${cut(line, room)}`);
    },
    stop: () => void process.stderr.write('\r\u001b[K'),
  };
}

/** Phases that count the same documents: their rate is one. */
const stageOf = ({ phase }: Reported): string => (phase === 'flushing' ? 'reading' : phase);

/**
 * `commits  reading   ██████░░░░  52 %  231,104 of 446,015 rows  92k rows/s  2.3 s left`. The bar
 * takes the rest of `columns`.
 */
export function progressLine(label: string, p: Reported, elapsedMs: number, columns = 120): string {
  const { share, figures } = figuresOf(p, elapsedMs);
  const head = `${label}  ${p.phase.padEnd(10)}`;
  const bar = Math.min(BAR, columns - width(head) - width(figures) - 2);
  if (bar < LEAST_BAR) return head + figures;
  const full = Math.round(share * bar);
  return `${head}${'█'.repeat(full)}${'░'.repeat(bar - full)}  ${figures}`;
}

function figuresOf(p: Reported, elapsedMs: number): { share: number; figures: string } {
  const [done, total, share] = shareOf(p);
  const parts = [`${Math.round(share * 100)} %`];
  if (isOfBytes(p)) {
    const perSecond = elapsedMs > 0 ? (done / elapsedMs) * 1000 : 0;
    parts.push(`${bytes(done)} of ${bytes(total)}`, `${bytes(perSecond)}/s`);
  } else if (total > 0 || !('share' in p)) {
    const perSecond = elapsedMs > 0 ? (done / elapsedMs) * 1000 : 0;
    parts.push(`${count(done)} of ${count(total)} rows`, `${rate(perSecond)} rows/s`);
  }
  if ('embeddings' in p && p.embeddings !== undefined && p.embeddings.computed > 0) {
    parts.push(`${count(p.embeddings.computed)} embedded`);
  }
  const left = share > 0 ? (elapsedMs / share) * (1 - share) : 0;
  if (left > 0) parts.push(`${duration(left)} left`);
  return { share, figures: parts.join('  ') };
}

/** Copying and reading again count bytes, not documents. */
const isOfBytes = (p: Reported): boolean => 'bytes_total' in p;

function shareOf(p: Reported): readonly [done: number, total: number, share: number] {
  if ('share' in p) return [Math.round(p.share * p.rows), p.rows, p.share];
  const { docs_done, docs_total, bytes_done = docs_done, bytes_total = docs_total } = p;
  const share = bytes_total > 0 ? Math.min(1, bytes_done / bytes_total) : 0;
  return [bytes_done, bytes_total, share];
}

/** The wire form: rows of a write are named as documents are. */
function event(p: Reported): object {
  if (!('share' in p)) return p;
  const [rows_done, rows_total, share] = shareOf(p);
  return { phase: p.phase, rows_done, rows_total, share: Number(share.toFixed(3)) };
}
