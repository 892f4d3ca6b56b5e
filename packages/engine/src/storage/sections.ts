/**
 * A payload of several sections, little-endian:
 *
 *   u32 count | count x (u32 offset, u32 length), offsets from the payload's start | zero to 16
 *   bytes | sections
 *
 * Every section starts at a multiple of 16 bytes, so that typed arrays lie straight on the mapped
 * file.
 */
import type { Region } from './directory.ts';
import { corrupt } from './frame.ts';

const ALIGN = 16;
const MAX_SECTIONS = 64;
const aligned = (bytes: number): number => (bytes + ALIGN - 1) & -ALIGN;

/**
 * The parts of a payload that holds the sections, table first; a section may itself come in parts.
 * The sections' bytes are not copied.
 */
export function packSections(
  sections: readonly (ArrayBufferView | readonly ArrayBufferView[])[],
): Uint8Array[] {
  const table = new Uint8Array(aligned(4 + 8 * sections.length));
  const view = new DataView(table.buffer);
  view.setUint32(0, sections.length, true);
  const parts: Uint8Array[] = [table];
  let offset = table.length;
  sections.forEach((section, i) => {
    const views = Array.isArray(section) ? (section as readonly ArrayBufferView[]) : [section];
    let length = 0;
    for (const { buffer, byteOffset, byteLength } of views as readonly ArrayBufferView[]) {
      parts.push(new Uint8Array(buffer, byteOffset, byteLength));
      length += byteLength;
    }
    view.setUint32(4 + 8 * i, offset, true);
    view.setUint32(8 + 8 * i, length, true);
    const padding = aligned(length) - length;
    if (padding > 0) parts.push(new Uint8Array(padding));
    offset += length + padding;
  });
  return parts;
}

/** Typed views of the sections of a mapped payload; each lies on the arena, nothing is copied. */
export interface Sections {
  bytes(section: number): Uint8Array;
  i32(section: number): Int32Array;
  u16(section: number): Uint16Array;
  u32(section: number): Uint32Array;
  u64(section: number): BigUint64Array;
  i8(section: number): Int8Array;
  f32(section: number): Float32Array;
  f64(section: number): Float64Array;
  view(section: number): DataView;
  /** Of a cold file: throws unless these bytes of a section, or all of it, are there. */
  readonly need?: NeedSection;
  /** Of a cold file: whether all of a section is here. */
  readonly has?: (section: number) => boolean;
}

/** See `Sections`; `from`, `bytes`: the part of the section. */
export type NeedSection = (section: number, from?: number, bytes?: number) => void;

/** Number of sections of a payload that may have any. Throws corrupt_index. */
export function countSections({ bytes, offset, need }: Region, path: string): number {
  need?.(offset, 4);
  if (bytes.length < 4) throw corrupt(path, 'it has no section table');
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0, true);
}

/** Checks the section table of a payload against its length and `count`. Throws corrupt_index. */
export function openSections(payload: Region, count: number, path: string): Sections {
  const { bytes, offset: start, need, has } = payload;
  need?.(start, Math.min(4 + 8 * count, bytes.length));
  const table = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 4 + 8 * count || count > MAX_SECTIONS || table.getUint32(0, true) !== count) {
    throw corrupt(path, `its section table is not one of ${count} sections`);
  }
  const at = (section: number): [number, number] => [
    table.getUint32(4 + 8 * section, true),
    table.getUint32(8 + 8 * section, true),
  ];
  for (let i = 0; i < count; i++) {
    const [offset, length] = at(i);
    if (offset % ALIGN !== 0 || offset + length > bytes.length) {
      throw corrupt(path, `section ${i} lies outside of the file`);
    }
  }
  const place = (section: number, size: number): [ArrayBuffer, number, number] => {
    const [offset, length] = at(section);
    if (length % size !== 0) throw corrupt(path, `section ${section} has ${length} bytes`);
    return [bytes.buffer as ArrayBuffer, bytes.byteOffset + offset, length / size];
  };
  return {
    ...(need && {
      need: (section: number, from = 0, size?: number) => {
        const [offset, length] = at(section);
        need(start + offset + from, size ?? length);
      },
    }),
    ...(has && {
      has: (section: number) => {
        const [offset, length] = at(section);
        return has(start + offset, length);
      },
    }),
    bytes: (section) => new Uint8Array(...place(section, 1)),
    i32: (section) => new Int32Array(...place(section, 4)),
    u16: (section) => new Uint16Array(...place(section, 2)),
    u32: (section) => new Uint32Array(...place(section, 4)),
    u64: (section) => new BigUint64Array(...place(section, 8)),
    i8: (section) => new Int8Array(...place(section, 1)),
    f32: (section) => new Float32Array(...place(section, 4)),
    f64: (section) => new Float64Array(...place(section, 8)),
    view: (section) => new DataView(...place(section, 1)),
  };
}
