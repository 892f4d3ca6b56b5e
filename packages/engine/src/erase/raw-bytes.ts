/**
 * A search through the bytes of all files of an index and of the data folder itself, for key values
 * and texts in UTF-8 (and the bytes of hexadecimal values, as keys are packed). Stored values are
 * compressed: the segment readers search those. A hit in a file that the readers have examined may
 * be a value of another row, so it is a note; a hit in any other file is a remain.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { refuseAborted } from '../source/source-errors.ts';
import { ioError, systemCode } from '../storage/io-errors.ts';
import { type ErasedKeys, tellingValue } from './erased-keys.ts';
import type { Findings } from './findings.ts';

/** Shorter values occur by chance. */
const LEAST_BYTES = 4;
const STEP_BYTES = 1 << 20;
const HEX = /^([0-9a-f]{2}){8,}$/i;
/** Files whose structure the check has examined. */
const EXAMINED =
  /^indexes\/[^/]+\/(gen-\d+\/(s\d+\..+|commit|verified|pin\.[0-9a-f.]+)|embeddings\/[0-9a-f]{32}\/\d+\.(keys|vectors))$/;

interface Pattern {
  readonly key: number | null;
  readonly bytes: Buffer;
}

/** Searches the files. Throws interrupted, io_error. */
export function searchBytes(
  { dataDir, uuid }: { readonly dataDir: string; readonly uuid: string },
  keys: ErasedKeys,
  texts: readonly string[],
  findings: Findings,
  signal?: AbortSignal,
): void {
  const patterns = patternsOf(keys, texts, findings);
  const own = `indexes/${uuid}/`;
  const files = filesUnder(dataDir).filter(
    (file) => file.startsWith(own) || !file.startsWith('indexes/'),
  );
  for (const file of files) {
    refuseAborted(signal);
    const found = new Set<Pattern>();
    findings.examined.files++;
    findings.examined.bytes += scan(join(dataDir, file), patterns, found);
    for (const { key } of found) {
      const of = key === null ? 'a text of the row' : `a value of key ${key + 1}`;
      if (EXAMINED.test(file)) {
        findings.note(`the bytes of "${file}" contain ${of}, perhaps as a value of another row`);
      } else {
        const detail = `its bytes contain ${of}`;
        findings.add({ place: 'other_file', key, where: file, detail, goes: 'erase' });
      }
    }
  }
}

function patternsOf(keys: ErasedKeys, texts: readonly string[], findings: Findings) {
  const patterns: Pattern[] = [];
  const add = (key: number | null, bytes: Buffer) => {
    if (bytes.length >= LEAST_BYTES) patterns.push({ key, bytes });
    else findings.note(`values of fewer than ${LEAST_BYTES} bytes were not searched for in bytes`);
  };
  keys.texts.forEach((own, key) => {
    const longest = tellingValue(own);
    add(key, Buffer.from(longest));
    const hex = longest.replaceAll('-', '');
    if (HEX.test(hex)) add(key, Buffer.from(hex, 'hex'));
  });
  for (const text of texts) add(null, Buffer.from(text));
  return patterns;
}

function filesUnder(dataDir: string): readonly string[] {
  try {
    return readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(dataDir.length + 1));
  } catch (error) {
    throw ioError(error, 'list', dataDir);
  }
}

/** Bytes that were read; a file that is gone has none. */
function scan(path: string, patterns: readonly Pattern[], found: Set<Pattern>): number {
  const overlap = Math.max(0, ...patterns.map(({ bytes }) => bytes.length - 1));
  const buffer = Buffer.alloc(STEP_BYTES + overlap);
  let descriptor = -1;
  let total = 0;
  try {
    descriptor = openSync(path, 'r');
    for (let held = 0; ; ) {
      const read = readSync(descriptor, buffer, held, STEP_BYTES, null);
      if (read === 0) return total;
      total += read;
      const window = buffer.subarray(0, held + read);
      for (const pattern of patterns) if (window.includes(pattern.bytes)) found.add(pattern);
      held = Math.min(overlap, window.length);
      buffer.copyWithin(0, window.length - held, window.length);
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return total;
    throw ioError(error, 'read', path);
  } finally {
    if (descriptor >= 0) closeSync(descriptor);
  }
}
