import { LakeError } from '../../base/errors.ts';
import { inputBytes } from '../input/input-bytes.ts';
import type { InputFile } from '../input/input-files.ts';

const LF = 0x0a;

/**
 * Entries of the Journal Export Format as JSON: `KEY=value` per line, an empty line behind each
 * entry. A value with line ends is written as `KEY`, its length in 8 bytes (little endian), and its
 * bytes. Throws invalid_argument if the file is cut off in a value.
 */
export async function* journalEntries(files: readonly InputFile[]): AsyncGenerator<string> {
  for (const file of files) {
    let entry: Record<string, string> = {};
    let rest: Buffer = Buffer.alloc(0);
    for await (const part of inputBytes(file)) {
      rest = Buffer.concat([rest, part]);
      for (let found = fieldOf(rest); found !== null; found = fieldOf(rest)) {
        rest = rest.subarray(found.end);
        if (found.key !== '') entry[found.key] = found.value;
        else if (Object.keys(entry).length > 0) {
          yield entryText(entry);
          entry = {};
        }
      }
    }
    if (rest.length > 0) {
      const message = `cannot read ${file.shown}: it is cut off in its last field`;
      throw new LakeError('invalid_argument', message, { file: file.path });
    }
    if (Object.keys(entry).length > 0) yield entryText(entry);
  }
}

/** With the time of the entry as a timestamp, in front. */
function entryText(entry: Readonly<Record<string, string>>): string {
  const micros = Number(entry.__REALTIME_TIMESTAMP);
  const isTimed = micros > 0 && micros < 8.64e18;
  const timestamp = isTimed ? { timestamp: new Date(micros / 1000).toISOString() } : {};
  return JSON.stringify({ ...timestamp, ...entry });
}

/** The first field; an empty key ends an entry. null: its bytes are not all there. */
function fieldOf(
  bytes: Buffer,
): { readonly key: string; readonly value: string; readonly end: number } | null {
  const lineEnd = bytes.indexOf(LF);
  if (lineEnd < 0) return null;
  const equals = bytes.indexOf('=');
  const isText = lineEnd === 0 || (equals >= 0 && equals < lineEnd);
  if (isText) {
    const line = bytes.toString('utf8', 0, lineEnd);
    const at = Math.max(0, line.indexOf('='));
    return { key: line.slice(0, at), value: line.slice(at + 1), end: lineEnd + 1 };
  }
  const from = lineEnd + 9;
  if (bytes.length < from) return null;
  const to = from + Number(bytes.readBigUInt64LE(lineEnd + 1));
  if (bytes.length <= to) return null;
  return {
    key: bytes.toString('utf8', 0, lineEnd),
    value: bytes.toString('utf8', from, to),
    end: to + 1,
  };
}
