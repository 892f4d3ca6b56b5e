/**
 * Whether the files of a model are whole. What was found whole is remembered by the file's stamp
 * (device, inode, size, times): in this process, and in a file of the caller's choice for the next
 * ones. A file that is written to has another stamp and is looked at again.
 */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { COPY_AGAIN, modelUnavailable } from './model-unavailable.ts';
import type { ModelFile } from './static-manifest.ts';

/** Younger than this, two writes within a tick of the clock would look alike. */
const SETTLED_MS = 1000;
/** Stamps kept in a file: the newest. */
const MOST_STAMPS = 256;

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

/** SHA-256 of a file in hexadecimal digits. Throws model_unavailable where it is missing. */
export function sumOf(
  path: string,
  bytes: () => Uint8Array = () => readFileSync(path),
  remembered?: string,
): string {
  const stats = statOf(path);
  const stamp = [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(':');
  if (remembered !== undefined) recall(remembered);
  const before = known.get(stamp);
  if (before !== undefined) return before;
  const sum = createHash('sha256').update(bytes()).digest('hex');
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
    writeFileSync(draft, JSON.stringify(Object.fromEntries([...known].slice(-MOST_STAMPS))));
    renameSync(draft, file);
  } catch {
    // A folder that cannot be written to: nothing is remembered.
  }
}
