import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type FileState, type FollowPosition, fileState, isFileOf } from './follow-position.ts';

/** A part of a file that is not in the table. */
export interface FollowSpan {
  readonly file: FileState;
  readonly start: number;
  /** Lines before it. */
  readonly line: number;
  /** Whether nothing is written to the file any more: its last line is whole. */
  readonly isEnded: boolean;
}

/** What is to be read, in order. `isLost`: the file of the position is gone. */
export interface Pending {
  readonly spans: readonly FollowSpan[];
  readonly isLost: boolean;
}

/**
 * The spans after a position: the rest of its file, which may have been renamed (`app.log.1`,
 * `app.log-20260131`), all of the files that were renamed after it, and the file of the name. A
 * file that was cut is read from its beginning.
 */
export async function pendingSpans(
  path: string,
  position: FollowPosition | null,
): Promise<Pending> {
  const current = await fileState(path);
  const now = current === null ? [] : [whole(current, false)];
  if (position === null) return { spans: now, isLost: false };
  const rest = (file: FileState, isEnded: boolean): FollowSpan => ({
    file,
    start: position.offset,
    line: position.lines,
    isEnded,
  });
  if (current !== null && (await isFileOf(position, current))) {
    return { spans: [rest(current, false)], isLost: false };
  }
  const renamed = await renamedFiles(path);
  for (const [i, file] of renamed.entries()) {
    if (!(await isFileOf(position, file))) continue;
    const later = renamed.slice(i + 1).map((one) => whole(one, true));
    const next = [...later, ...now].filter((span) => span.file.size > 0);
    // its writer has it open until it begins the next file
    return { spans: [rest(file, next.length > 0), ...next], isLost: false };
  }
  return { spans: now, isLost: current !== null };
}

const whole = (file: FileState, isEnded: boolean): FollowSpan => ({
  file,
  start: 0,
  line: 0,
  isEnded,
});

/** Files that a rotation has renamed, the oldest first; compressed ones cannot be read on. */
async function renamedFiles(path: string): Promise<readonly FileState[]> {
  const [folder, name] = [dirname(path), basename(path)];
  const names = (await readdir(folder)).filter(
    (other) => other.startsWith(name) && /^[.-][\d.T:_-]+$/.test(other.slice(name.length)),
  );
  const states = await Promise.all(names.map((other) => fileState(join(folder, other))));
  return states
    .filter((state) => state !== null)
    .sort((a, b) => Number(a.modifiedNs - b.modifiedNs));
}

/** The whole lines at the beginning of a span. */
export interface WholeLines {
  /** The offset after them. */
  readonly end: number;
  readonly lines: number;
  /** Whether they have nothing but blanks. */
  readonly isBlank: boolean;
}

const [LF, QUOTE] = [0x0a, 0x22];

/** Finds the whole lines of a span; with `quotes`, line ends within quotes of CSV do not count. */
export async function wholeLines(
  { file, start, isEnded }: FollowSpan,
  quotes: boolean,
  signal?: AbortSignal,
): Promise<WholeLines> {
  let found: WholeLines = { end: start, lines: 0, isBlank: true };
  if (start === file.size) return found;
  let [at, lines, isQuoted, isBlank] = [start, 0, false, true];
  for await (const part of createReadStream(file.path, { start, end: file.size - 1 })) {
    signal?.throwIfAborted();
    for (const byte of part as Buffer) {
      at++;
      if (byte > 0x20) isBlank = false;
      if (byte === QUOTE && quotes) isQuoted = !isQuoted;
      if (byte === LF && !isQuoted) found = { end: at, lines: ++lines, isBlank };
    }
  }
  return isEnded && at > found.end ? { end: at, lines: lines + 1, isBlank } : found;
}
