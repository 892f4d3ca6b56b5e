/**
 * The cold form of a segment and back. Field files become twins with a hole; keys, row hashes,
 * locators, live documents and the beginning of each field file stay whole.
 */
import { FIRST_SECTION_WORD, INVERTED_SECTIONS, type Section } from '../inverted/format.ts';
import { type Directory, writeWithHole } from '../storage/directory.ts';
import { FRAME_FOOTER_BYTES, FRAME_HEADER_BYTES } from '../storage/frame.ts';
import { encodeBlocks, type FileBlocks } from './cold-blocks.ts';
import {
  type Component,
  type ComponentKind,
  componentName,
  isFieldFile,
  type SegmentEntry,
  writeComponent,
} from './entry.ts';

/** The bytes of cold files in an object store. */
export interface FilesInStore {
  readonly place: string;
  /** Bytes of a block. */
  readonly block: number;
  /** By name of a file while it is hot. */
  readonly files: ReadonlyMap<string, FileBlocks>;
}

/** Finds files of the newest commit where the index is published. Throws as `inStore`. */
export type FindStored = (names: readonly string[]) => Promise<FilesInStore>;

/** Which bytes of a segment are in the store only when it is cold. */
export interface ColdForm {
  isCold(component: Component): boolean;
  /** Bytes at the beginning of such a file that stay on the local disk. */
  resident(kind: ComponentKind, bytes: Uint8Array): number;
}

/** Keys, row hashes, locators, live documents and dictionaries stay: writers read them. */
export const WINDOW_FORM: ColdForm = Object.freeze({
  isCold: isFieldFile,
  resident: (kind: ComponentKind, bytes: Uint8Array) => firstBytes(kind, bytes, 'small'),
});

/** The bytes of a twin before its hole and after it. */
export type TwinEnds = readonly [first: Uint8Array, footer: Uint8Array];

/** How a segment is made cold. */
interface Cooling {
  /** New names end in it. */
  readonly revision: number;
  readonly form: ColdForm;
  /** Default: those of the file in the folder. */
  readonly ends?: (component: Component) => TwinEnds;
}

/**
 * Makes a segment cold: writes the twins of its field files and the list of their blocks. One that
 * is cold gets another list. Returns the entry.
 */
export function writeCold(
  directory: Directory,
  entry: SegmentEntry,
  { place, block, files }: FilesInStore,
  { revision, form, ends }: Cooling,
): SegmentEntry {
  const lists: Record<string, FileBlocks> = {};
  const components = entry.components.filter(({ kind }) => kind !== 'blocks');
  const twins = components.map((component): Component => {
    if (!form.isCold(component)) return component;
    lists[componentName(component)] = files.get(hotName(component))!;
    if (component.resident !== undefined) return component;
    const file = `${component.file}.${revision}`;
    const { length } = component;
    const write = (parts: TwinEnds): number => {
      writeWithHole(directory, file, length, parts);
      return parts[0].length;
    };
    const resident =
      ends === undefined ? withEnds(directory, component, form, write) : write(ends(component));
    return { ...component, file, resident };
  });
  const made = { kind: 'blocks', revision } as const;
  const blocks = writeComponent(directory, entry.id, made, [encodeBlocks({ block, files: lists })]);
  const objects = [...new Set(Object.values(lists).map(({ file }) => file))];
  return { ...entry, components: [...twins, blocks], cold: { place, prefix: '', objects } };
}

/**
 * The entry of a segment that is cold as it was in a former commit; null if it was hot, its files
 * differ, or its objects are others now.
 */
export function coldAgain(
  entry: SegmentEntry,
  former: SegmentEntry | undefined,
  stored: { readonly place: string; has(object: string): boolean },
): SegmentEntry | null {
  const { cold, components: twins = [] } = former ?? {};
  const isThere = cold?.objects?.every((object) => stored.has(object)) === true;
  if (cold?.place !== stored.place || !isThere) return null;
  const left = new Set(twins.filter(({ resident }) => resident !== undefined));
  const components = entry.components.map((component) => {
    const { kind, field, length, crc } = component;
    const isTwin = (one: Component) =>
      one.kind === kind && one.field === field && one.length === length && one.crc === crc;
    const twin = [...left].find(isTwin);
    return twin !== undefined && left.delete(twin) ? twin : component;
  });
  const blocks = twins.filter(({ kind }) => kind === 'blocks');
  return left.size > 0 ? null : { ...entry, components: [...components, ...blocks], cold };
}

/** The entry of a segment that is hot; `name`: of its files. */
export function hotEntry({ cold: _, ...entry }: SegmentEntry, name = hotName): SegmentEntry {
  const components = entry.components.flatMap((component): Component[] => {
    if (component.kind === 'blocks') return [];
    const { resident: __, ...hot } = component;
    return [{ ...hot, file: name(component) }];
  });
  return { ...entry, components };
}

/** The name of a file while it is hot: a twin has a revision behind it. */
export function hotName({ file, resident }: Component): string {
  return resident === undefined ? file : file.slice(0, file.lastIndexOf('.'));
}

/** Hands over the ends of the twin of a file, as long as it is mapped. */
function withEnds<T>(
  directory: Directory,
  { kind, file }: Component,
  form: ColdForm,
  use: (ends: TwinEnds) => T,
): T {
  const region = directory.open(file);
  try {
    const { bytes } = region;
    const first = bytes.subarray(0, form.resident(kind, bytes));
    return use([first, bytes.subarray(-FRAME_FOOTER_BYTES)]);
  } finally {
    region.release();
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

/** Bytes at the beginning of a file that a reader by location gets with the opening of a bundle. */
export const openingBytes = (kind: ComponentKind, bytes: Uint8Array): number =>
  firstBytes(kind, bytes, 'codes');

/** Bytes before the first section that is demanded; `section`: that of terms and postings. */
function firstBytes(kind: ComponentKind, bytes: Uint8Array, section: Section): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + FRAME_HEADER_BYTES);
  if (kind === 'text' || kind === 'keyword') {
    const word = FIRST_SECTION_WORD + 2 * INVERTED_SECTIONS.indexOf(section);
    return FRAME_HEADER_BYTES + view.getInt32(4 * word, true);
  }
  const demanded = DEMANDED_SECTIONS[kind];
  if (demanded !== undefined) return FRAME_HEADER_BYTES + view.getUint32(4 + 8 * demanded, true);
  return FRAME_HEADER_BYTES;
}
