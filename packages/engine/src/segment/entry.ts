import type { HashRun } from '../schema/hash-set.ts';
import type { WindowStart } from '../schema/windows.ts';
import type { Directory } from '../storage/directory.ts';
import { type FileKind, type FileSeal, writeFramed } from '../storage/frame.ts';
import type { FilePart } from '../storage/spill.ts';

/**
 * What a component file holds. A segment has one `keys`, `hashes` and `locators`; `live` if
 * documents are deleted; `stored` per group of cached fields. The others are per field: `text` and
 * `keyword` are its terms and postings with and without positions, `numeric` and `ordinal` its
 * column, `vector` its vectors and `graph` the links between them. A segment of format 1 has `core`
 * instead of `keys` and `hashes`. A cold segment has `blocks`, the checksums of its cold files.
 */
export type ComponentKind =
  | 'core'
  | 'keys'
  | 'hashes'
  | 'locators'
  | 'live'
  | 'stored'
  | 'text'
  | 'keyword'
  | 'numeric'
  | 'ordinal'
  | 'vector'
  | 'graph'
  | 'blocks';

/** The kind of file of a component. */
export const frameKind = (kind: ComponentKind): FileKind =>
  kind === 'text' || kind === 'keyword' ? 'inverted' : kind;

/** A component file of a segment, as the commit names it. */
export interface Component extends FileSeal {
  readonly kind: ComponentKind;
  /** Field id of the plan, -1 for components of the whole segment. */
  readonly field: number;
  readonly file: string;
  /** Bytes at its beginning that are on the local disk; absent: all. */
  readonly resident?: number;
}

const FIELD_FILES: ReadonlySet<ComponentKind> = new Set([
  'stored',
  'text',
  'keyword',
  'numeric',
  'ordinal',
  'vector',
  'graph',
]);

/** True for a file that holds values of fields: it may be cold. */
export const isFieldFile = ({ kind }: Component): boolean => FIELD_FILES.has(kind);

/** False if no file of a field is open: none was written, or none can be read. */
export const hasFields = ({ entry }: { readonly entry: SegmentEntry }): boolean =>
  entry.components.some(isFieldFile);

/** A segment, as the commit names it. */
export interface SegmentEntry {
  readonly id: string;
  /** All documents, deleted ones too. */
  readonly docs: number;
  readonly deletedDocs: number;
  readonly components: readonly Component[];
  /**
   * The columns that the row hashes cover, in runs of documents. Only a commit of format 1 lacks
   * it; `readCommit` adds it.
   */
  readonly hashed?: readonly HashRun[];
  /** The shard that the keys of all its documents belong to; absent: 0. */
  readonly shard?: number;
  /** The window of the dates of all its documents; absent: the index has no windows. */
  readonly window?: WindowStart;
  /**
   * Where the bytes of its cold files are: place and prefix of their objects' keys. Absent: the
   * segment is hot.
   */
  readonly cold?: {
    readonly place: string;
    readonly prefix: string;
    /** The bundles (home/bundle.ts); absent: each file is an object of its own, as formerly. */
    readonly objects?: readonly string[];
  };
}

/** Whether two entries name the very same files: then what was opened for one serves the other. */
export function sameFiles(a: SegmentEntry, b: SegmentEntry): boolean {
  if (a.id !== b.id || a.components.length !== b.components.length) return false;
  return a.components.every(({ file, length, crc }, i) => {
    const other = b.components[i];
    return file === other.file && length === other.length && crc === other.crc;
  });
}

/** Bytes of all files of a segment. */
export const segmentBytes = (entry: SegmentEntry): number =>
  entry.components.reduce((sum, component) => sum + component.length, 0);

/**
 * The file name of a component: `s000001.f3.text`, `s000001.core`; components that are replaced
 * during a segment's life (`live`, `locators`) carry a number that grows: `s000001.live.2`.
 */
function componentFile(segment: string, kind: ComponentKind, field = -1, revision = 0): string {
  const middle = field < 0 ? '' : `f${field}.`;
  return `${segment}.${middle}${kind}${revision === 0 ? '' : `.${revision}`}`;
}

/** Writes a component file and gives back its entry. */
export function writeComponent(
  directory: Directory,
  segment: string,
  component: { readonly kind: ComponentKind; readonly field?: number; readonly revision?: number },
  parts: readonly FilePart[],
): Component {
  const { kind, field = -1, revision = 0 } = component;
  const file = componentFile(segment, kind, field, revision);
  return { kind, field, file, ...writeFramed(directory, file, frameKind(kind), parts) };
}
