/**
 * The encoding of a text file: the one that the caller names, else what a byte order mark says,
 * else UTF-8. Bytes that are not UTF-8 are tried as windows-1252 (latin1), which is taken if the
 * file has no character of several bytes in UTF-8 and no byte that windows-1252 leaves out.
 */
import { isUtf8 } from 'node:buffer';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { LakeError } from '../../base/errors.ts';
import { writeFault } from '../../base/files/write-fault.ts';
import { inputBytes } from '../input/input-bytes.ts';
import type { InputFile } from '../input/input-files.ts';
import type { Conversion, ConvertedReading } from './conversion.ts';

/** A label of the Encoding Standard; `isGuess`: neither the caller nor a mark named it. */
export interface TextEncoding {
  readonly label: string;
  readonly isGuess: boolean;
}

/** Of texts without another mark. */
export const UTF8: TextEncoding = Object.freeze({ label: 'utf-8', isGuess: false });
const LF = 0x0a;
const MARK = Buffer.from('\ufeff');

/** Whether a text begins with the byte order mark of UTF-8. */
export async function hasMark(file: InputFile): Promise<boolean> {
  for await (const part of inputBytes(file)) return part.subarray(0, MARK.length).equals(MARK);
  return false;
}

/** Reads a text file to its end. Throws invalid_argument, with the line, if no encoding fits. */
export async function textEncoding(
  file: InputFile,
  named: string | undefined,
  signal?: AbortSignal,
): Promise<TextEncoding> {
  if (named !== undefined) return { label: knownLabel(named), isGuess: false };
  let lines = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of inputBytes(file)) {
    signal?.throwIfAborted();
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
    const utf16 = lines === 1 ? utf16Of(bytes) : null;
    if (utf16 !== null) return utf16;
    const end = bytes.length - openBytes(bytes);
    const whole = bytes.subarray(0, end);
    if (!isUtf8(whole)) return guessed(file, lines + badLine(whole));
    lines += lineEnds(whole);
    rest = bytes.subarray(end);
  }
  // a character that the end of the file cuts off
  if (rest.length > 0) throw refuse(file, `line ${lines}: bytes that are not UTF-8`);
  return UTF8;
}

/** Copies a text as UTF-8. Throws invalid_argument if its bytes are not of the encoding. */
export async function writeUtf8(
  file: InputFile,
  { label }: TextEncoding,
  to: string,
  signal?: AbortSignal,
): Promise<InputFile> {
  const decoder = new TextDecoder(label, { fatal: true });
  const decoded = async function* (source: AsyncIterable<Buffer>) {
    for await (const part of source) yield decode(() => decoder.decode(part, { stream: true }));
    yield decode(() => decoder.decode());
  };
  const decode = (read: () => string): string => {
    try {
      return read();
    } catch {
      throw refuse(file, `it has bytes that are not ${label}`);
    }
  };
  const out = createWriteStream(to, { mode: 0o600 });
  await pipeline(inputBytes(file), decoded, out, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error instanceof LakeError ? error : writeFault(to, error);
  });
  return { path: to, compression: null, shown: file.shown };
}

function knownLabel(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    const known = 'utf-8, utf-16le, utf-16be, latin1, windows-1251, shift_jis, euc-kr, gb18030';
    throw new LakeError('invalid_argument', `there is no encoding "${label}" (${known}, …)`);
  }
}

/** UTF-16 by its mark, or by the NUL that every other byte of plain text is; null if it is not. */
export function utf16Of(bytes: Buffer): TextEncoding | null {
  if (bytes.length < 4) return null;
  const mark = bytes.readUInt16BE(0);
  if (mark === 0xfffe) return { label: 'utf-16le', isGuess: false };
  if (mark === 0xfeff) return { label: 'utf-16be', isGuess: false };
  if (bytes[1] === 0 && bytes[3] === 0) return { label: 'utf-16le', isGuess: true };
  return bytes[0] === 0 && bytes[2] === 0 ? { label: 'utf-16be', isGuess: true } : null;
}

const MULTIBYTE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;
const UNASSIGNED = /[\x81\x8d\x8f\x90\x9d]/;

async function guessed(file: InputFile, line: number): Promise<TextEncoding> {
  for await (const part of inputBytes(file)) {
    const text = part.toString('latin1');
    if (!MULTIBYTE.test(text) && !UNASSIGNED.test(text)) continue;
    throw refuse(file, `line ${line}: bytes that are not UTF-8`);
  }
  return { label: 'windows-1252', isGuess: true };
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

function refuse(file: InputFile, why: string): LakeError {
  const message = `cannot read ${file.shown}: ${why}; name its encoding`;
  return new LakeError('invalid_argument', message, {
    file: file.path,
    details: { option: 'encoding' },
  });
}

/** The files, those in another encoding converted, and this encoding. */
export async function asUtf8(
  files: readonly InputFile[],
  { options, signal, newPath }: Conversion,
) {
  const texts: InputFile[] = [];
  let encoding: ConvertedReading['encoding'];
  for (const file of files) {
    const found = await textEncoding(file, options.encoding, signal);
    if (found.label === 'utf-8') texts.push(file);
    else texts.push(await writeUtf8(file, found, newPath('.txt'), signal));
    if (found.label !== 'utf-8') encoding ??= found;
  }
  return { files: texts, encoding };
}
