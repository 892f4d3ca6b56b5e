import { LakeError } from '../src/base/errors.ts';
import type { RandomAccessFile } from '../src/base/files/random-access-file.ts';

/** A file of bytes in memory. */
export const memoryFile = (bytes: Uint8Array): RandomAccessFile => ({
  path: 'memory',
  size: bytes.length,
  async read(offset, length) {
    if (offset >= 0 && length >= 0 && offset + length <= bytes.length) {
      return bytes.subarray(offset, offset + length);
    }
    throw new LakeError('data_file_invalid', `no range ${offset} + ${length}`);
  },
  async close() {},
});
