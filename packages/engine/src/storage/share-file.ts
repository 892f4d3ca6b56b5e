import { closeSync, constants, copyFileSync, fsyncSync, linkSync, openSync } from 'node:fs';
import { ioError, systemCode } from './io-errors.ts';

/**
 * What a file system says that has no hard links, or no more of them for this file, which may be
 * of another user.
 */
const NO_LINKS: ReadonlySet<string> = new Set([
  ...['EPERM', 'EXDEV', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'],
]);

/**
 * Gives an immutable file a second name, by a hard link; a flushed copy if the disk has none. The
 * new folder is flushed by the caller. False: the file is gone. Throws io_error, disk_full.
 */
export function shareFile(from: string, to: string): boolean {
  const linked = linkFile(from, to);
  return linked === 'no link' ? copyFile(from, to) : linked === 'linked';
}

/** Gives an immutable file a second name by a hard link, if the system has one. Throws io_error. */
export function linkFile(from: string, to: string): 'linked' | 'gone' | 'no link' {
  try {
    linkSync(from, to);
    return 'linked';
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return 'gone';
    if (NO_LINKS.has(code)) return 'no link';
    throw ioError(error, 'link', to);
  }
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
