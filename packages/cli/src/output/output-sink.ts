import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { LhsError } from '@lakehouse-search/engine';
import { type ByteSink, stdoutSink } from './columns.ts';

/**
 * Gives `write` somewhere to put bytes: a file that stands under its name only when it is whole, or
 * standard output. Throws invalid_argument where the file cannot be made, and what `write` throws.
 */
export async function withSink(
  file: string | undefined,
  write: (sink: ByteSink) => Promise<void>,
): Promise<void> {
  if (file === undefined) return write(stdoutSink);
  const draft = `${file}.part-${process.pid}`;
  const handle = await making(file, () => open(draft, 'wx'));
  try {
    await write((chunk) => append(handle, chunk));
    await handle.close();
    await making(file, () => rename(draft, file));
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(draft, { force: true });
    throw error;
  }
}

async function append(handle: FileHandle, chunk: Uint8Array | string): Promise<void> {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  await handle.writeFile(bytes);
}

async function making<T>(file: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new LhsError('invalid_argument', `cannot write "${file}" (${code})`, { cause });
  }
}
