import type { FollowEvent } from '@lakehouse-search/contract';
import { clockTime, count, duration, plural } from '../terminal/figures.ts';
import type { Style } from '../terminal/style.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { cut, printable, wrap } from '../terminal/text.ts';
import { oneStep, skippedLines, stepLine } from './step-lines.ts';

/** Prints the events of following a table. `stop` clears the progress line. */
export interface FollowReport {
  tell(event: FollowEvent): void;
  stop(): void;
}

/** Under the time of day. */
const INDENT = ' '.repeat(10);
const STEP_WIDTH = 46;

/**
 * A line for each commit and merge on stdout. On stderr what keeps it from one, once, and what it
 * waits for: on a terminal as a last line that the next one replaces, on a pipe once.
 */
export function followReport(terminal: Terminal, style: Style): FollowReport {
  let fault = '';
  let skipped = 0;
  let announced = terminal.progress;
  const clear = () => {
    if (terminal.progress) process.stderr.write('\r\u001b[K');
  };
  const wait = (text: string) => {
    clear();
    if (terminal.progress) process.stderr.write(style.dim(cut(text, terminal.errWidth - 1)));
  };
  const line = (at: string, text: string) => {
    const whole = `${clockTime(at)}  ${text}`;
    return terminal.progress ? wrap(whole, terminal.width, INDENT) : [whole];
  };
  return {
    tell(event) {
      if (event.event === 'waiting') {
        fault = '';
        const text = `waiting for the table (every ${seconds(event.every_ms)}) …`;
        if (!announced) terminal.err(...line(event.at, text));
        announced = true;
        return wait(text);
      }
      if (event.event === 'retry') {
        clear();
        if (fault !== event.message) terminal.err(...line(event.at, printable(event.message)));
        fault = event.message;
        return wait(`trying again in ${seconds(event.in_ms)} …`);
      }
      clear();
      if (event.event === 'merge_failed' || event.event === 'windows_failed') {
        const failed = event.event === 'merge_failed' ? 'a merge' : 'moving a window';
        const what = `${failed} failed and is tried again later: ${printable(event.message)}`;
        return terminal.err(...line(event.at, what));
      }
      fault = '';
      if (event.event === 'windows_moved') {
        const what = `cooled     ${event.cooled.join(', ')}`;
        return terminal.out(...line(event.at, what));
      }
      terminal.out(...line(event.at, event.event === 'commit' ? committed(event) : merged(event)));
      if (event.event === 'commit') {
        const { skipped_rows: rows = 0 } = event;
        if (rows !== skipped) terminal.out(...skippedLines(event).map((text) => INDENT + text));
        skipped = rows;
      }
      if ('healed' in event && event.healed) terminal.out(INDENT + oneStep(event.healed));
    },
    stop: clear,
  };
}

function committed(event: Extract<FollowEvent, { event: 'commit' }>): string {
  const { snapshot, operation, inserted, updated, deleted } = event;
  const step = stepLine({
    ...(snapshot === null ? {} : { snapshot }),
    ...(operation === null ? {} : { operation }),
    inserted,
    updated,
    deleted,
  });
  return step.padEnd(STEP_WIDTH) + duration(event.took_ms).padStart(9);
}

function merged(event: Extract<FollowEvent, { event: 'merge' }>): string {
  const { segments_before: before, segments_after: after } = event;
  if (before === after) return 'merged     deleted rows are gone from a segment';
  return `merged     ${plural(before, 'segment')} are ${count(after)} now`;
}

/** `5 s`, `360 ms`, `3.8 s`. */
const seconds = (ms: number): string => duration(ms).replace('.0 s', ' s');
