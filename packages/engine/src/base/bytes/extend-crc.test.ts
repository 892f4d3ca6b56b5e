import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { extendCrc } from './extend-crc.ts';

describe('extending a CRC', () => {
  it('keeps the CRC over bytes without memory, which Node 22 resets to 0', () => {
    const before = crc32('abc');
    expect(extendCrc(before, new Uint8Array(new ArrayBuffer(0)))).toBe(before);
    expect(extendCrc(before, Buffer.from('de'))).toBe(crc32('abcde'));
  });
});
