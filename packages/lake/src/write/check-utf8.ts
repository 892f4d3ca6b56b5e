import { isUtf8 } from 'node:buffer';
import { LakeError } from '../base/errors.ts';
import { inputBytes } from './input-bytes.ts';
import type { InputFile } from './input-files.ts';

const LF = 0x0a;

/** Reads a text file to its end. Throws invalid_argument, with the line, if it is not UTF-8. */
export async function checkUtf8(file: InputFile, signal?: AbortSignal): Promise<void> {
  let lines = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of inputBytes(file)) {
    signal?.throwIfAborted();
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
    if (lines === 1) refuseUtf16(file, bytes);
    const end = bytes.length - openBytes(bytes);
    const whole = bytes.subarray(0, end);
    if (!isUtf8(whole)) throw notUtf8(file, lines + badLine(whole));
    lines += lineEnds(whole);
    rest = bytes.subarray(end);
  }
  if (rest.length > 0) throw notUtf8(file, lines);
}

/** Bytes at the end that begin a character without ending it. */
function openBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

function lineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count++;
  return count;
}

/** Line ends before the first line that is not UTF-8. */
function badLine(bytes: Buffer): number {
  let count = 0;
  for (let from = 0; ; count++) {
    const end = bytes.indexOf(LF, from);
    if (end < 0 || !isUtf8(bytes.subarray(from, end))) return count;
    from = end + 1;
  }
}

function refuseUtf16(file: InputFile, bytes: Buffer): void {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  if (mark === 0xfeff || mark === 0xfffe) throw refuse(file, 'its text is UTF-16');
}

const notUtf8 = (file: InputFile, line: number) =>
  refuse(file, `line ${line}: bytes that are not UTF-8`);

function refuse({ path }: InputFile, why: string): LakeError {
  const message = `cannot read "${path}": ${why}; convert it to UTF-8`;
  return new LakeError('invalid_argument', message, { file: path });
}
