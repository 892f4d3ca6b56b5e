import { closeSync, constants, copyFileSync, fsyncSync, linkSync, openSync } from 'node:fs';
import { ioError, systemCode } from './io-errors.ts';

/** What a file system says that has no hard links, or no more of them for this file. */
const NO_LINKS: ReadonlySet<string> = new Set([
  ...['EPERM', 'EXDEV', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'],
]);

/**
 * Gives an immutable file a second name, by a hard link; a flushed copy if the disk has none. The
 * new folder is flushed by the caller. False: the file is gone. Throws io_error, disk_full.
 */
export function shareFile(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return false;
    if (!NO_LINKS.has(code)) throw ioError(error, 'link', to);
  }
  return copyFile(from, to);
}

function copyFile(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    const descriptor = openSync(to, 'r+');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw ioError(error, 'copy', to);
  }
}
