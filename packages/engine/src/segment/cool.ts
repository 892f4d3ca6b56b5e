/**
 * The cold form of a segment and back. Field files become twins with a hole; keys, row hashes,
 * locators, live documents and the beginning of each field file stay whole.
 */
import { crc32 } from 'node:zlib';
import { FIRST_SECTION_WORD, INVERTED_SECTIONS } from '../inverted/format.ts';
import { COLD_BLOCK_BYTES } from '../storage/cold-file.ts';
import type { Directory } from '../storage/directory.ts';
import { FRAME_FOOTER_BYTES, FRAME_HEADER_BYTES } from '../storage/frame.ts';
import { type BlockLists, encodeBlocks } from './cold-blocks.ts';
import {
  type Component,
  type ComponentKind,
  isFieldFile,
  type SegmentEntry,
  writeComponent,
} from './entry.ts';

/** Where the objects of a window are: a place and the beginning of their keys. */
export interface ColdPlace {
  readonly place: string;
  readonly prefix: string;
}

/** Which bytes of a segment are objects when it is cold. */
export interface ColdForm {
  readonly blockBytes: number;
  /** Whether a file is an object. */
  isCold(component: Component): boolean;
  /** Bytes at the beginning of such a file that stay on the local disk. */
  resident(kind: ComponentKind, bytes: Uint8Array): number;
}

/** Keys, row hashes, locators and live documents stay whole: writers read them. */
export const WINDOW_FORM: ColdForm = Object.freeze({
  blockBytes: COLD_BLOCK_BYTES,
  isCold: isFieldFile,
  resident: residentBytes,
});

/**
 * Writes the twins of a hot segment, whose field files are objects already, and its list of blocks.
 * Returns the entry of the cold segment. New names end in the revision.
 */
export function writeCold(
  directory: Directory,
  entry: SegmentEntry,
  cold: ColdPlace,
  revision: number,
  form: ColdForm,
): SegmentEntry {
  const files: Record<string, BlockLists['files'][string]> = {};
  const components = entry.components.map((component) => {
    if (!form.isCold(component)) return component;
    const { kind, field, file } = component;
    const region = directory.open(file);
    try {
      files[`${kind}/${field}`] = { file, crcs: blockSums(region.bytes, form.blockBytes) };
      const resident = form.resident(kind, region.bytes);
      const twin = `${file}.${revision}`;
      writeTwin(directory, twin, region.bytes, resident);
      return { ...component, file: twin, resident };
    } finally {
      region.release();
    }
  });
  const made = { kind: 'blocks', revision } as const;
  const blocks = writeComponent(directory, entry.id, made, [
    encodeBlocks({ block: form.blockBytes, files }),
  ]);
  return { ...entry, components: [...components, blocks], cold };
}

/** The entry of a segment that is hot again; `write` makes the file of a component. */
export function hotEntry(
  { cold: _, ...entry }: SegmentEntry,
  write: (component: Component) => string,
): SegmentEntry {
  const components = entry.components.flatMap((component): Component[] => {
    if (component.kind === 'blocks') return [];
    if (component.resident === undefined) return [component];
    const { resident: __, ...hot } = component;
    return [{ ...hot, file: write(component) }];
  });
  return { ...entry, components };
}

function blockSums(bytes: Uint8Array, size: number): readonly number[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, block) =>
    crc32(bytes.subarray(block * size, (block + 1) * size)),
  );
}

function writeTwin(directory: Directory, name: string, bytes: Uint8Array, resident: number): void {
  const footer = bytes.length - FRAME_FOOTER_BYTES;
  const writer = directory.create(name);
  try {
    writer.write(bytes.subarray(0, resident));
    writer.skip(footer - resident);
    writer.write(bytes.subarray(footer));
    writer.finish();
  } catch (error) {
    writer.abort();
    throw error;
  }
}

/**
 * The first of the sections (storage/sections.ts) that is demanded before it is read: those before
 * it are heads, the places of stored blocks, and which documents have a vector.
 */
const DEMANDED_SECTIONS: { readonly [Kind in ComponentKind]?: number } = {
  keys: 2,
  hashes: 1,
  locators: 1,
  numeric: 1,
  ordinal: 1,
  stored: 4,
  vector: 4,
};

/** Bytes at the beginning of a file that its structure reads without demanding them. */
export function residentBytes(kind: ComponentKind, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + FRAME_HEADER_BYTES);
  if (kind === 'text' || kind === 'keyword') {
    const word = FIRST_SECTION_WORD + 2 * INVERTED_SECTIONS.indexOf('small');
    return FRAME_HEADER_BYTES + view.getInt32(4 * word, true);
  }
  const section = DEMANDED_SECTIONS[kind];
  if (section !== undefined) return FRAME_HEADER_BYTES + view.getUint32(4 + 8 * section, true);
  return FRAME_HEADER_BYTES;
}
