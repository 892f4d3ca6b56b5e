/**
 * Whether the files of a model are whole. What was found whole is remembered by the file's stamp
 * (device, inode, size, times): in this process, and in a file of the caller's choice for the next
 * ones. A file that is written to has another stamp and is looked at again.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { COPY_AGAIN, modelUnavailable } from './model-faults.ts';
import type { ModelFile } from './static/static-manifest.ts';

/** Younger than this, two writes within a tick of the clock would look alike. */
const SETTLED_MS = 1000;
/** Stamps kept in a file: the newest. */
const MOST_STAMPS = 256;
/** Read at once: weights may be larger than a buffer may be. */
const STEP_BYTES = 4 * 2 ** 20;

/** Stamp -> SHA-256 of the file's bytes. */
const known = new Map<string, string>();

/** The file's stamp and length. Throws model_unavailable where it is missing. */
export function statOf(path: string): Stats {
  try {
    const stats = statSync(path);
    if (stats.isFile()) return stats;
    throw modelUnavailable({ path, found: 'is no file', hint: COPY_AGAIN });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    throw modelUnavailable({ path, found: 'is missing', hint: COPY_AGAIN, cause });
  }
}

/** Throws model_unavailable where a file has not the length that its model says. */
export function checkLength({ path, bytes }: ModelFile): void {
  const { size } = statOf(path);
  if (bytes === null || size === bytes) return;
  const found = `has ${size} bytes, its model says ${bytes}`;
  throw modelUnavailable({ path, found, hint: COPY_AGAIN });
}

/**
 * Throws model_unavailable where the SHA-256 of a file is not the one that its model says. `bytes`
 * spares reading it; `remembered`: a file of stamps (missing or damaged: nothing is remembered).
 */
export function checkSum(
  { path, sha256 }: ModelFile,
  bytes: () => Uint8Array,
  remembered?: string,
): void {
  const sum = sumOf(path, bytes, remembered);
  if (sum === sha256) return;
  const found = `has the SHA-256 ${sum}, its model says ${sha256}`;
  throw modelUnavailable({ path, found, hint: COPY_AGAIN });
}

/** SHA-256 of a file in hexadecimal digits, read now. Throws model_unavailable. */
export function sha256Of(path: string): string {
  try {
    const descriptor = openSync(path, 'r');
    try {
      const hash = createHash('sha256');
      const step = new Uint8Array(STEP_BYTES);
      for (let read = 1; read > 0; ) {
        read = readSync(descriptor, step);
        hash.update(step.subarray(0, read));
      }
      return hash.digest('hex');
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    throw modelUnavailable({ path, found: 'cannot be read', hint: COPY_AGAIN, cause });
  }
}

/** As `sha256Of`, but what is remembered of the file's stamp is not read again. */
export function sumOf(path: string, bytes?: () => Uint8Array, remembered?: string): string {
  const stats = statOf(path);
  const stamp = [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(':');
  if (remembered !== undefined) recall(remembered);
  const before = known.get(stamp);
  if (before !== undefined) return before;
  const sum =
    bytes === undefined ? sha256Of(path) : createHash('sha256').update(bytes()).digest('hex');
  if (Date.now() - stats.ctimeMs > SETTLED_MS) {
    known.set(stamp, sum);
    if (remembered !== undefined) remember(remembered);
  }
  return sum;
}

function recall(file: string): void {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    for (const [stamp, sum] of Object.entries(kept)) {
      if (typeof sum === 'string' && !known.has(stamp)) known.set(stamp, sum);
    }
  } catch {
    // Missing or damaged: files are looked at again.
  }
}

function remember(file: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    const text = JSON.stringify(Object.fromEntries([...known].slice(-MOST_STAMPS)));
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    // A folder that cannot be written to: nothing is remembered.
  }
}
