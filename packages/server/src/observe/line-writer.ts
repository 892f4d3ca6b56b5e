/** Where lines go. */
export interface LineSink {
  write(text: string): unknown;
  /** Writes at once what it holds. */
  flushSync(): void;
}

/** Lines that leave together, in their order. */
export interface LineWriter {
  write(line: string): void;
  /** Calls `make`, which writes lines, when they are due: before lines that are written later. */
  later(make: () => void): void;
  /** Hands over the lines that wait. */
  flush(): void;
}

/** A line waits so long for others. */
const WAIT_MS = 20;
/** So many characters do not wait. */
const MOST_CHARS = 16_384;
/** Nor do so many calls that make lines. */
const MOST_MADE = 64;

/**
 * Collects lines for `sink`: a write of its own costs more than the line, and making lines one
 * after another less than making each between other work. Those that wait leave when the process
 * exits; a process that is killed loses at most `WAIT_MS` of them.
 */
export function lineWriter(sink: LineSink): LineWriter {
  let lines = '';
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  const makeLines = (): void => {
    const due = waiting;
    waiting = [];
    for (const make of due) make();
  };
  const flush = (): void => {
    if (timer === undefined) return;
    makeLines();
    clearTimeout(timer);
    timer = undefined;
    process.off('exit', flushAtExit);
    const text = lines;
    lines = '';
    sink.write(text);
  };
  const flushAtExit = (): void => {
    flush();
    sink.flushSync();
  };
  const wait = (): void => {
    timer = setTimeout(flush, WAIT_MS);
    process.on('exit', flushAtExit);
  };
  return {
    write(line) {
      if (waiting.length > 0) makeLines();
      lines += line;
      if (timer === undefined) wait();
      if (lines.length >= MOST_CHARS) flush();
    },
    later(make) {
      waiting.push(make);
      if (timer === undefined) wait();
      if (waiting.length >= MOST_MADE) flush();
    },
    flush,
  };
}
