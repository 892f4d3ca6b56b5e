/**
 * The dictionary of a VARIANT (parquet-format VariantEncoding.md, "Metadata encoding"),
 * little-endian:
 *
 *   u8      version in bits 0-3 (1), sorted flag in bit 4, offset size - 1 in bits 6-7
 *   uint    count, `offset size` bytes
 *   uint    count + 1 offsets into the names, from 0, ascending
 *   bytes   the names in UTF-8, one after the other
 */
import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';

const VERSION = 1;
const SORTED = 0x10;

/** Names by id; `name` throws if the id is not in the dictionary. */
export interface VariantMetadata {
  readonly count: number;
  name(id: number): string;
}

/**
 * Reads a dictionary; names are decoded when they are read. Throws `data_file_invalid` naming
 * `file`.
 */
export function parseVariantMetadata(bytes: Uint8Array, file: string): VariantMetadata {
  if (bytes.length < 3) throw variantFault(file, `metadata has only ${bytes.length} bytes`);
  const version = bytes[0] & 0x0f;
  if (version !== VERSION) throw variantFault(file, `metadata version ${version}, expected 1`);
  const width = (bytes[0] >>> 6) + 1;
  const count = readUint(bytes, 1, width, file);
  if (count > LIMITS.variantDictionaryEntries) {
    throw new LakeError('limit_exceeded', `variant dictionary of ${count} names is too large`, {
      file,
    });
  }
  const offsetsAt = 1 + width;
  const namesAt = offsetsAt + (count + 1) * width;
  if (namesAt > bytes.length) throw variantFault(file, `metadata ends within ${count} offsets`);
  checkOffsets(bytes, offsetsAt, width, count, bytes.length - namesAt, file);
  const names: (string | undefined)[] = new Array(count);
  return {
    count,
    name(id) {
      if (id >= count)
        throw variantFault(file, `field id ${id}, the dictionary has ${count} names`);
      let name = names[id];
      if (name === undefined) {
        const from = readUint(bytes, offsetsAt + id * width, width, file);
        const to = readUint(bytes, offsetsAt + (id + 1) * width, width, file);
        name = utf8Text(bytes.subarray(namesAt + from, namesAt + to));
        names[id] = name;
      }
      return name;
    },
  };
}

function checkOffsets(
  bytes: Uint8Array,
  at: number,
  width: number,
  count: number,
  end: number,
  file: string,
): void {
  let previous = 0;
  for (let i = 0; i <= count; i++) {
    const offset = readUint(bytes, at + i * width, width, file);
    if (offset < previous || offset > end || (i === 0 && offset !== 0)) {
      throw variantFault(file, `metadata offset ${i} is ${offset}, expected ${previous}..${end}`);
    }
    previous = offset;
  }
}

/** A dictionary of names that are already unique and sorted by their UTF-8 bytes. */
export function encodeVariantMetadata(sortedNames: readonly string[]): Uint8Array {
  const names = sortedNames.map((name) => Buffer.from(name, 'utf8'));
  const total = names.reduce((sum, name) => sum + name.length, 0);
  const width = uintWidth(Math.max(total, names.length));
  const out = new Uint8Array(1 + width * (names.length + 2) + total);
  out[0] = VERSION | SORTED | ((width - 1) << 6);
  writeUint(out, 1, width, names.length);
  let offset = 0;
  const namesAt = 1 + width * (names.length + 2);
  names.forEach((name, i) => {
    writeUint(out, 1 + width * (i + 1), width, offset);
    out.set(name, namesAt + offset);
    offset += name.length;
  });
  writeUint(out, 1 + width * (names.length + 1), width, offset);
  return out;
}

/** An unsigned little-endian integer of 1 to 4 bytes. Throws `data_file_invalid` past the end. */
export function readUint(bytes: Uint8Array, at: number, width: number, file: string): number {
  if (at + width > bytes.length) throw variantFault(file, `it ends at byte ${bytes.length}`);
  let value = bytes[at];
  if (width > 1) value += bytes[at + 1] * 0x100;
  if (width > 2) value += bytes[at + 2] * 0x1_0000;
  if (width > 3) value += bytes[at + 3] * 0x100_0000;
  return value;
}

/** Writes an unsigned little-endian integer of `width` bytes. */
export function writeUint(out: Uint8Array, at: number, width: number, value: number): void {
  for (let i = 0; i < width; i++) out[at + i] = Math.floor(value / 2 ** (8 * i)) & 0xff;
}

/** How many bytes (1 to 4) an unsigned integer needs. */
export function uintWidth(value: number): number {
  if (value < 0x100) return 1;
  if (value < 0x1_0000) return 2;
  return value < 0x100_0000 ? 3 : 4;
}

/** UTF-8 to text; bytes that are not UTF-8 become U+FFFD. */
export function utf8Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** The error for a VARIANT whose bytes are wrong. */
export function variantFault(file: string, what: string): LakeError {
  return new LakeError(
    'data_file_invalid',
    `variant value is damaged: ${what}; rewrite the row or restore the file from a copy`,
    { file },
  );
}
