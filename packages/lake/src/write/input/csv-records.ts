import { LakeError } from '../../base/errors.ts';
import { inputBytes } from './input-bytes.ts';
import type { InputFile } from './input-files.ts';

const [QUOTE, LF, CR] = [0x22, 0x0a, 0x0d];

/**
 * Counts the records of a CSV file, its header among them, without DuckDB, as a second opinion on
 * what was imported: line ends outside quotes. Empty lines count if there is a single column.
 */
export async function countCsvRecords(
  file: InputFile,
  { delimiter, names }: { readonly delimiter: string; readonly names: readonly string[] },
  signal?: AbortSignal,
): Promise<number> {
  const counter = new RecordCounter(delimiter.charCodeAt(0), names.length === 1);
  for await (const bytes of inputBytes(file)) {
    signal?.throwIfAborted();
    counter.add(bytes);
  }
  return counter.end();
}

/** The line on which a record begins, both counted from 1. */
export async function lineOfRecord(
  file: InputFile,
  { delimiter, names }: { readonly delimiter: string; readonly names: readonly string[] },
  record: number,
): Promise<number> {
  const counter = new RecordCounter(delimiter.charCodeAt(0), names.length === 1);
  let lines = 1;
  for await (const bytes of inputBytes(file)) {
    for (let from = 0; from < bytes.length; ) {
      const isEmpty = bytes[from] === LF || bytes[from] === CR;
      if (counter.records >= record - 1 && !isEmpty) return lines;
      const end = bytes.indexOf(LF, from) + 1;
      counter.add(bytes.subarray(from, end || bytes.length));
      if (end > 0) lines++;
      from = end || bytes.length;
    }
  }
  return lines;
}

/** Offset of the next byte. */
const AT = Object.freeze({ start: 0, bare: 1, quoted: 2, afterQuote: 3 });

class RecordCounter {
  readonly #delimiter: number;
  readonly #countsEmpty: boolean;
  #at: number = AT.start;
  #isEmpty = true;
  #wasCr = false;
  /** Records that have ended. */
  records = 0;

  constructor(delimiter: number, countsEmpty: boolean) {
    this.#delimiter = delimiter;
    this.#countsEmpty = countsEmpty;
  }

  add(bytes: Uint8Array): void {
    let [at, isEmpty, wasCr] = [this.#at, this.#isEmpty, this.#wasCr];
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (at === AT.quoted) {
        if (byte === QUOTE) at = AT.afterQuote;
        continue;
      }
      if (byte === LF && wasCr) {
        wasCr = false;
        continue;
      }
      wasCr = byte === CR;
      if (byte === LF || byte === CR) {
        if (!isEmpty || this.#countsEmpty) this.records++;
        [at, isEmpty] = [AT.start, true];
        continue;
      }
      isEmpty = false;
      if (byte === this.#delimiter) at = AT.start;
      else if (byte === QUOTE && at !== AT.bare) at = AT.quoted;
      else at = AT.bare;
    }
    [this.#at, this.#isEmpty, this.#wasCr] = [at, isEmpty, wasCr];
  }

  /** All records, the header among them. */
  end(): number {
    return this.records + (this.#isEmpty ? 0 : 1);
  }
}

/** Throws invalid_argument if fewer or more rows were read than the files hold. */
export function refuseOtherCount(counted: number, read: number): void {
  if (counted === read) return;
  throw new LakeError(
    'invalid_argument',
    `the input has ${counted} records, but ${read} rows were read; nothing was committed. ` +
      'Check its quotes and line ends (RFC 4180)',
    { details: { counted, read } },
  );
}
