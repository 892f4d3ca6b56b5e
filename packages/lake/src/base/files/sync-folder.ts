import { open } from 'node:fs/promises';

/**
 * What systems answer that cannot flush a folder: Windows (EPERM, EISDIR), and network file systems
 * (EINVAL, ENOTSUP). There the names in it are as durable as the system makes them.
 */
const NO_FLUSH: ReadonlySet<unknown> = new Set(['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP']);

/** Whether an error says that the system cannot flush a folder. */
export const cannotFlush = (error: unknown): boolean =>
  NO_FLUSH.has((error as NodeJS.ErrnoException).code);

/** Flushes the names in a folder, where the system can. Throws the system's other errors. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    if (!cannotFlush(error)) throw error;
  }
}
