import { crc32 } from 'node:zlib';

/**
 * Returns the CRC-32 of all bytes so far, extended by `bytes`. Empty bytes are skipped: Node 22
 * returns 0 for an array without memory, whatever the CRC before it.
 */
export const extendCrc = (crc: number, bytes: Uint8Array): number =>
  bytes.length === 0 ? crc : crc32(bytes, crc);
