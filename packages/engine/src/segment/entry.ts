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
 * instead of `keys` and `hashes`. A cold segment has `blocks`, the checksums of its cold files; one
 * that several shards have, `buckets`.
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
  | 'blocks'
  | 'buckets';

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

/** Tells a component from the others of its segment: `text/3`. */
export const componentName = ({ kind, field }: Pick<Component, 'kind' | 'field'>): string =>
  `${kind}/${field}`;

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
  /** The shard that the keys of all its live documents belong to; absent: 0. */
  readonly shard?: number;
  /** The shards that have live documents of it, ascending, if there are several. */
  readonly parts?: readonly ShardPart[];
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

/** What a shard has of a segment. */
export interface ShardPart {
  readonly shard: number;
  /** Live documents. */
  readonly docs: number;
}

/** The shards that have a segment, ascending; at least one. */
export const shardParts = ({ parts, shard = 0, docs, deletedDocs }: SegmentEntry) =>
  parts ?? [{ shard, docs: docs - deletedDocs }];

/** The entry of a segment whose live documents belong to these shards. */
export function withParts(
  { shard: _, parts: __, ...entry }: SegmentEntry,
  live: ReadonlyMap<number, number>,
): SegmentEntry {
  const parts = [...live].flatMap(([shard, docs]) => (docs === 0 ? [] : [{ shard, docs }]));
  if (parts.length > 1) return { ...entry, parts };
  const [{ shard } = { shard: 0 }] = parts;
  return shard === 0 ? entry : { ...entry, shard };
}

/**
 * Whether two entries name the very same files for the same shards: then what was opened for one
 * serves the other.
 */
export function sameFiles(a: SegmentEntry, b: SegmentEntry): boolean {
  if (a.id !== b.id || a.components.length !== b.components.length) return false;
  if (a.shard !== b.shard || JSON.stringify(a.parts) !== JSON.stringify(b.parts)) return false;
  return a.components.every(({ file, length, crc }, i) => {
    const other = b.components[i];
    return file === other.file && length === other.length && crc === other.crc;
  });
}

/** Bytes of all files of a segment. */
export const segmentBytes = (entry: SegmentEntry): number =>
  entry.components.reduce((sum, component) => sum + component.length, 0);

/**
 * What a shard has of a segment; deleted documents are those of the first shard, bytes are divided
 * by live documents. The sums over the shards are those of the segment.
 */
export function sizeInShard(entry: SegmentEntry, shard: number) {
  const { docs: all, deletedDocs } = entry;
  const parts = shardParts(entry);
  const bytes = segmentBytes(entry);
  let before = 0;
  let to = 0;
  for (const { shard: own, docs } of parts) {
    const from = to;
    before += docs;
    to = before === all - deletedDocs ? bytes : Math.floor((bytes * before) / (all - deletedDocs));
    if (own !== shard) continue;
    const isFirst = own === parts[0].shard;
    return { docs, deletedDocs: isFirst ? deletedDocs : 0, bytes: to - from };
  }
  return { docs: 0, deletedDocs: 0, bytes: 0 };
}

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
