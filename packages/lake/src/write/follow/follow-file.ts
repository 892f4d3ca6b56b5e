/**
 * Follows a text file: appends the lines that it gets, one snapshot per interval. The position is
 * in the summary of the snapshot (follow-position.ts). So a line is in the table once, also after a
 * crash, a lost answer or a rotation; a last line without its end waits for it.
 */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { LakeError } from '../../base/errors.ts';
import { tableExists } from '../../catalog/table-name.ts';
import type { TableMetadata } from '../../metadata/table-metadata.ts';
import { logKind, logName } from '../convert/log-rows.ts';
import { utf16Of } from '../convert/text-encoding.ts';
import { existingTable, type ImportOptions, importIntoTable } from '../import/import-files.ts';
import { readCsvHeader } from '../input/csv-header.ts';
import { checkedFiles, type InputFile } from '../input/input-files.ts';
import { hasFilename, kindFor, type ReadingOptions } from '../input/reading-options.ts';
import type { WriteResult } from '../table-writer.ts';
import { type FollowPosition, headOf, positionIn, positionSummary } from './follow-position.ts';
import { type FollowSpan, pendingSpans, wholeLines } from './follow-spans.ts';

/** How a file is followed. */
export interface FollowOptions
  extends Omit<ImportOptions, 'files' | 'stream' | 'mode' | 'summary'> {
  readonly file: string;
  /** The pause between two looks at the file. */
  readonly intervalMs: number;
  /** Whether a table that does not have this file yet is added to. Default: table_exists. */
  readonly append?: boolean;
}

/** What following did, or what keeps it from going on. */
export type FollowStep =
  | { readonly step: 'commit'; readonly result: WriteResult; readonly offset: number }
  /** The file was replaced, and the rest of the one before was not found beside it. */
  | { readonly step: 'lost'; readonly offset: number }
  | { readonly step: 'waiting'; readonly offset: number }
  | { readonly step: 'retry'; readonly message: string };

/** A followed file, and how all of its parts are read. */
interface Followed {
  readonly file: InputFile;
  readonly isCsv: boolean;
  readonly reading: ReadingOptions;
  readonly options: FollowOptions;
}

/**
 * Follows a file until the signal. Throws invalid_argument for a file that is no plain text,
 * table_exists, and the errors of an import.
 */
export async function* followTextFile(options: FollowOptions): AsyncGenerator<FollowStep> {
  const { signal, intervalMs } = options;
  const path = resolve(options.file);
  const start = await startOf(options, path);
  const followed = await openFollowed(options, start);
  for (let position: FollowPosition | null | undefined = start; !signal?.aborted; ) {
    try {
      if (position === undefined) position = await knownPosition(options, path);
      const { spans, isLost } = await pendingSpans(path, position);
      if (isLost) yield { step: 'lost', offset: position?.offset ?? 0 };
      for (const span of spans) {
        const done = await commitSpan(followed, span, position);
        if (done === null) continue;
        position = done.position;
        yield { step: 'commit', result: done.result, offset: position.offset };
      }
      yield { step: 'waiting', offset: position?.offset ?? 0 };
    } catch (error) {
      if (signal?.aborted) return;
      if (!isPassing(error)) throw error;
      // the commit may have come about: the table says what it has
      position = undefined;
      yield { step: 'retry', message: error.message };
    }
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
  }
}

const PASSING: ReadonlySet<string> = new Set([
  'catalog_unreachable',
  'storage_unreachable',
  'commit_conflict',
]);
const isPassing = (error: unknown): error is LakeError =>
  error instanceof LakeError && PASSING.has(error.reason);

async function startOf(options: FollowOptions, path: string): Promise<FollowPosition | null> {
  const table = await existingTable(options);
  if (table === null) return null;
  const position = positionIn(table.metadata, path);
  if (position === null && options.append !== true) throw tableExists(options.table);
  return position;
}

async function knownPosition(options: FollowOptions, path: string): Promise<FollowPosition | null> {
  const table = await existingTable(options);
  return table === null ? null : positionIn(table.metadata, path);
}

async function openFollowed(
  options: FollowOptions,
  position: FollowPosition | null,
): Promise<Followed> {
  const { reading = {} } = options;
  const { files, kind } = await checkedFiles([options.file], kindFor(reading));
  const [file] = files;
  const isText = kind === 'csv' || kind === 'json' || kind === 'lines';
  if (!isText || file.compression !== null) throw refuse(file, 'only plain text grows by lines');
  if (/^utf-?16/i.test(reading.encoding ?? '') || (await isUtf16(file))) {
    throw refuse(file, 'it is in UTF-16');
  }
  if (hasFilename(reading)) throw refuse(file, 'its rows get no name of a file');
  if (reading.skipLines !== undefined) throw refuse(file, 'its first line names its columns');
  const fixed = { ...reading, kind, hasFixedColumns: true };
  if (kind === 'csv') {
    const { delimiter } = await readCsvHeader(file, reading);
    return { file, isCsv: true, reading: { ...fixed, delimiter }, options };
  }
  if (kind === 'json') return { file, isCsv: false, reading: fixed, options };
  const isNamed = reading.pattern !== undefined || reading.grok !== undefined;
  const log = isNamed ? undefined : (position?.log ?? logName(await logKind(files, reading)));
  if (log === 'journal')
    throw refuse(file, 'its entries have several lines; use journalctl -o json');
  return { file, isCsv: false, reading: { ...fixed, log }, options };
}

async function isUtf16({ path }: InputFile): Promise<boolean> {
  await using handle = await open(path);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
  return utf16Of(buffer.subarray(0, bytesRead)) !== null;
}

function refuse({ shown, path }: InputFile, why: string): LakeError {
  return new LakeError('invalid_argument', `cannot follow ${shown}: ${why}`, { file: path });
}

/** Commits the whole lines of a span. null: it has none. */
async function commitSpan(
  { file, isCsv, reading, options }: Followed,
  span: FollowSpan,
  before: FollowPosition | null,
): Promise<{ readonly result: WriteResult; readonly position: FollowPosition } | null> {
  const { path, inode } = span.file;
  const found = await wholeLines(span, isCsv, options.signal);
  const header = isCsv && reading.hasHeader !== false ? await headerBytes(path) : 0;
  if (found.isBlank || found.end <= header) return null;
  const position: FollowPosition = {
    inode,
    offset: found.end,
    lines: span.line + found.lines,
    head: await headOf(path, found.end),
    log: reading.log ?? null,
  };
  const summary = (metadata: TableMetadata | null) => {
    refuseRival(metadata, file, before);
    return positionSummary(file.path, position);
  };
  const result = await importIntoTable({
    ...options,
    files: [],
    stream: Readable.from(bytesOf(path, span.start === 0 ? 0 : header, span.start, found.end)),
    streamName: file.shown,
    reading: { ...reading, linesBefore: span.line },
    mode: 'append',
    summary,
  });
  return { result, position };
}

/** Another process must not follow the same file into the same table. */
function refuseRival(
  metadata: TableMetadata | null,
  { shown, path }: InputFile,
  before: FollowPosition | null,
): void {
  const now = metadata === null ? null : positionIn(metadata, path);
  if (JSON.stringify(now) === JSON.stringify(before)) return;
  throw refuse(
    { shown, path, compression: null },
    'another process follows it into the same table',
  );
}

/** The header of a CSV file, and a part of the file. */
async function* bytesOf(path: string, header: number, start: number, end: number) {
  if (header > 0) yield* createReadStream(path, { end: header - 1 });
  yield* createReadStream(path, { start, end: end - 1 });
}

/** The bytes of the first record of a CSV file. */
async function headerBytes(path: string): Promise<number> {
  let [at, isQuoted] = [0, false];
  for await (const part of createReadStream(path)) {
    for (const byte of part as Buffer) {
      at++;
      if (byte === 0x22) isQuoted = !isQuoted;
      if (byte === 0x0a && !isQuoted) return at;
    }
  }
  return at;
}
