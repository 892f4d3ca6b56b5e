import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { type ByteSink, stdoutSink } from './columns.ts';

/**
 * Calls `write` with a place for bytes: a file that gets its name only when it is complete, a
 * device or a pipe that is there, or standard output. Returns the number of bytes written to the
 * file. Throws permission_denied or invalid_argument if the file cannot be made, and what `write`
 * throws.
 */
export async function withSink(
  file: string | undefined,
  write: (sink: ByteSink) => Promise<void>,
): Promise<number> {
  if (file === undefined) {
    await write(stdoutSink);
    return 0;
  }
  const { path, draft } = await making(file, () => placeOf(file));
  const handle = await making(file, () => (draft === null ? open(path, 'w') : open(draft, 'wx')));
  let bytes = 0;
  try {
    await write(async (chunk) => {
      bytes += await append(handle, chunk);
    });
    await handle.close();
    if (draft !== null) await making(file, () => rename(draft, path));
    return bytes;
  } catch (error) {
    await handle.close().catch(() => {});
    if (draft !== null) await rm(draft, { force: true });
    throw error;
  }
}

/**
 * The file itself, behind links, and the name that it has until it is whole; null: none, as for a
 * device.
 */
async function placeOf(file: string) {
  const there = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (there !== null && !there.isFile()) return { path: file, draft: null };
  const path = there === null ? file : await realpath(file);
  const { hasEnded, processMark } = await import('@lakehouse-search/lake/internal');
  await removeDrafts(path, hasEnded);
  return { path, draft: `${path}.part-${processMark()}` };
}

/** Removes the drafts of this file that killed processes left. */
async function removeDrafts(path: string, hasEnded: (mark: string) => boolean): Promise<void> {
  const folder = dirname(path);
  const prefix = `${basename(path)}.part-`;
  // a folder that cannot be listed may still take the file
  const names = await readdir(folder).catch(() => []);
  const isLeft = (name: string) => name.startsWith(prefix) && hasEnded(name.slice(prefix.length));
  for (const name of names.filter(isLeft)) await rm(join(folder, name), { force: true });
}

async function append(handle: FileHandle, chunk: Uint8Array | string): Promise<number> {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  await handle.writeFile(bytes);
  return bytes.length;
}

async function making<T>(file: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const isDenied = code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
    const kind = isDenied ? 'permission_denied' : 'invalid_argument';
    const where = code === 'ENOENT' ? `: folder "${dirname(file)}" does not exist` : '';
    throw new LhsError(kind, `cannot write "${file}"${where} (${code})`, { cause });
  }
}
