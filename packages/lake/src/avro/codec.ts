import { crc32, deflateRawSync, inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { LIMITS } from '../base/limits.ts';
import { snappyDecompress } from '../base/snappy.ts';

/**
 * Block compression of Avro containers (Avro 1.11 specification, "Required Codecs", "Optional
 * Codecs").
 */
export type AvroCodec = 'null' | 'deflate' | 'zstandard' | 'snappy';

/** Whether blocks of this codec can be read. */
export function isAvroCodec(name: string): name is AvroCodec {
  return ['null', 'deflate', 'zstandard', 'snappy'].includes(name);
}

/** The bytes of a block. Throws an Error that names the fault. */
export function decompressBlock(codec: AvroCodec, block: Uint8Array): Uint8Array {
  const maxOutputLength = LIMITS.avroBlockBytes;
  switch (codec) {
    case 'null':
      return block;
    case 'deflate':
      return inflateRawSync(block, { maxOutputLength });
    case 'zstandard':
      return zstdDecompressSync(block, { maxOutputLength });
    case 'snappy':
      return checkedSnappy(block, maxOutputLength);
  }
}

/** Snappy blocks end with the CRC-32 of the uncompressed bytes, big-endian. */
function checkedSnappy(block: Uint8Array, maxOutputLength: number): Uint8Array {
  if (block.length < 4) throw new Error('a snappy block is shorter than its checksum');
  const end = block.length - 4;
  const bytes = snappyDecompress(block.subarray(0, end), maxOutputLength);
  const expected = new DataView(block.buffer, block.byteOffset + end, 4).getUint32(0);
  if (crc32(bytes) !== expected) throw new Error('the checksum of a snappy block is wrong');
  return bytes;
}

/** A block's stored form. */
export function compressBlock(codec: 'null' | 'deflate', bytes: Uint8Array): Uint8Array {
  return codec === 'null' ? bytes : deflateRawSync(bytes);
}
