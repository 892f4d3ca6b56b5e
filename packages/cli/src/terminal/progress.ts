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
  let last: Reported | undefined;
  let moved = started;
  const due = (every: number) => {
    const now = performance.now();
    if (now - drawn < every) return false;
    drawn = now;
    return true;
  };
  if (json) {
    let isOver = false;
    return {
      update: (p) => {
        if (!isOver && due(EVENT_MS)) terminal.err(jsonText({ [subject]: label, ...event(p) }));
      },
      stop: () => {
        isOver = true;
      },
    };
  }
  if (!terminal.progress) return { update: () => {}, stop: () => {} };
  const draw = (p: Reported) => {
    const now = performance.now();
    const room = terminal.errWidth - 1;
    const line = progressLine(label, p, now - started, room, now - moved);
    process.stderr.write(`\r\u001b[K${cut(line, room)}`);
  };
  // a step that counts nothing for a while shows how long it takes
  const ticker = setInterval(() => {
    if (last !== undefined && performance.now() - moved >= IDLE_MS) draw(last);
  }, TICK_MS);
  ticker.unref();
  return {
    update: (p) => {
      const now = performance.now();
      if (stageOf(p) !== stage) started = now;
      if (last === undefined || p.phase !== last.phase || doneOf(p) !== doneOf(last)) moved = now;
      stage = stageOf(p);
      last = p;
      if (due(REDRAW_MS)) draw(p);
    },
    stop: () => {
      clearInterval(ticker);
      process.stderr.write('\r\u001b[K');
    },
  };
}

const IDLE_MS = 1000;
const TICK_MS = 500;

const doneOf = (p: Reported): number => shareOf(p)[0];

/** Phases that count the same documents: their rate is one. */
const stageOf = ({ phase }: Reported): string => (phase === 'flushing' ? 'reading' : phase);

/**
 * `commits  reading   ██████░░░░  52 %  231,104 of 446,015 rows  92k rows/s  2.3 s left`. The bar
 * takes the rest of `columns`. If the figures have not changed for `idleMs` of a second or more, it
 * shows that time instead of rate and percentage.
 */
export function progressLine(
  label: string,
  p: Reported,
  elapsedMs: number,
  columns = 120,
  idleMs = 0,
): string {
  const { share, figures } = figuresOf(p, elapsedMs, idleMs);
  const head = `${label}  ${p.phase.padEnd(10)}`;
  const bar = Math.min(BAR, columns - width(head) - width(figures) - 2);
  if (bar < LEAST_BAR) return head + figures;
  const full = Math.round(share * bar);
  return `${head}${'█'.repeat(full)}${'░'.repeat(bar - full)}  ${figures}`;
}

function figuresOf(
  p: Reported,
  elapsedMs: number,
  idleMs: number,
): { share: number; figures: string } {
  const [done, total, share] = shareOf(p);
  if (idleMs >= IDLE_MS) {
    const amount = isOfBytes(p) ? bytes : (n: number) => `${count(n)} rows`;
    const counted = total > 0 ? `${amount(done)}  ` : '';
    return { share, figures: `${counted}for ${Math.floor(idleMs / 1000)} s` };
  }
  const parts = [`${Math.floor(share * 100)} %`];
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
  if (left >= 1000) parts.push(`${duration(left)} left`);
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
