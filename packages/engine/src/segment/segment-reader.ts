import { copyBitmap } from '../bitmap/bitmaps.ts';
import { NumericColumn } from '../columnar/numeric-column.ts';
import { OrdinalColumn } from '../columnar/ordinal-column.ts';
import { InvertedReader } from '../inverted/inverted-reader.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { ShardTable } from '../schema/sharding/key-buckets.ts';
import type { ColdFile } from '../storage/cold-file.ts';
import type { Arena, Directory, Region } from '../storage/directory.ts';
import { corrupt, type FramedFile, openFramed } from '../storage/frame.ts';
import type { Verification } from '../storage/verification.ts';
import { joinedRow, StoredReader, type StoredRow } from '../stored/stored-reader.ts';
import { openGraph } from '../vector/graph/graph-format.ts';
import { VectorReader } from '../vector/vector-reader.ts';
import { openBuckets, outsideShard } from './buckets.ts';
import { demandWhole, openColdFiles } from './cold-files.ts';
import {
  type ComponentKind,
  componentName,
  frameKind,
  type SegmentEntry,
  type ShardPart,
} from './entry.ts';
import { CoreKeys } from './keys/core-keys.ts';
import type { SegmentKeys } from './keys/keys.ts';
import { PackedKeys } from './keys/packed-keys.ts';
import { openLiveDocs } from './live-docs.ts';
import { Locators } from './locators.ts';
import { openRowHashes } from './row-hashes.ts';

/** Components of which structures demand what they read. Others are demanded whole. */
const IN_PARTS: ReadonlySet<ComponentKind> = new Set([
  'keys',
  'hashes',
  'text',
  'keyword',
  'stored',
]);
const EMPTY_ROW: StoredRow = new Map();

/** A segment as one of the shards that have it sees it. */
interface ShardView {
  readonly whole: SegmentReader;
  readonly part: ShardPart;
  readonly table: ShardTable;
}

/**
 * A segment, open. All files are mapped at once, so that they may be unlinked under a reader; a
 * structure is checked and opened when it is first asked for. Document numbers are 0 .. docs - 1.
 * Not for two threads at once.
 */
export class SegmentReader {
  readonly entry: SegmentEntry;
  readonly id: string;
  /** Of the directory that it lies in. */
  readonly path: string;
  /** All documents, deleted ones too. */
  readonly docs: number;
  readonly deletedDocs: number;
  /** The segment with the documents of all shards; of one that has all, itself. */
  readonly whole: SegmentReader;
  /** False: statistics of its files count in another shard that has the segment. */
  readonly isCounted: boolean;
  readonly #files: Map<string, FramedFile>;
  readonly #open: Map<string, unknown>;
  /** By field: asked several times a query. */
  readonly #inverted: (InvertedReader | null | undefined)[];
  readonly #view: ShardView | null;
  readonly #views = new Map<number, SegmentReader>();
  #deleted: Int32Array | null | undefined;
  #shardKeys: PackedKeys | null = null;
  #stored: readonly StoredReader[] | null = null;
  readonly #verification: Verification;
  /** Cold files by component; null: the segment is hot. */
  readonly #cold: ReadonlyMap<string, ColdFile> | null;
  #holders = 1;

  private constructor(
    entry: SegmentEntry,
    path: string,
    from: { readonly directory: Directory; readonly verification: Verification } | ShardView,
  ) {
    this.entry = entry;
    this.id = entry.id;
    this.path = path;
    this.docs = entry.docs;
    if ('whole' in from) {
      const { whole, part } = from;
      this.whole = whole;
      this.#view = from;
      this.#files = whole.#files;
      this.#open = whole.#open;
      this.#inverted = whole.#inverted;
      this.#verification = whole.#verification;
      this.#cold = whole.#cold;
      this.deletedDocs = entry.docs - part.docs;
      this.isCounted = part === entry.parts?.[0];
      return;
    }
    const { directory, verification } = from;
    this.whole = this;
    this.isCounted = true;
    this.#view = null;
    this.#files = new Map();
    this.#open = new Map();
    this.#inverted = [];
    this.#verification = verification;
    try {
      for (const own of entry.components) {
        const framed = openFramed(directory, own.file, frameKind(own.kind), own);
        this.#files.set(componentName(own), framed);
      }
      this.#cold =
        entry.cold === undefined ? null : openColdFiles(entry, this.#files, path, verification);
      const live = this.#structure('live', -1, openLiveDocs);
      if (live !== null && live.docs !== entry.docs) {
        throw corrupt(`${directory.path}/${entry.id}`, 'its live documents are of another segment');
      }
      this.deletedDocs = live?.deletedDocs ?? 0;
      this.#deleted = this.deletedDocs === 0 ? null : (live?.deleted ?? null);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /**
   * Maps the files of a segment. Throws corrupt_index where one is missing or not the one that
   * the commit names.
   */
  static open(
    directory: Directory,
    entry: SegmentEntry,
    verification: Verification,
  ): SegmentReader {
    return new SegmentReader(entry, directory.path, { directory, verification });
  }

  /**
   * The segment with the documents of one of its shards only: others are deleted there. It lives as
   * long as this one. `table`: the shard of each bucket.
   */
  ofShard(shard: number, table: ShardTable): SegmentReader {
    const part = this.entry.parts?.find((own) => own.shard === shard);
    if (part === undefined) return this;
    const known = this.#views.get(shard);
    if (known !== undefined) return known;
    const view = new SegmentReader(this.entry, this.path, { whole: this, part, table });
    this.#views.set(shard, view);
    return view;
  }

  /** The bucket of each document's key. Throws corrupt_index if no reshard has left them. */
  get buckets(): Uint16Array {
    return this.#required('buckets', openBuckets).buckets;
  }

  /**
   * Bits of deleted documents on the arena (its `byteOffset` is the address), whole ranges of 256
   * documents, bits at and beyond `docs` 0; null when none is deleted.
   */
  get deleted(): Int32Array | null {
    if (this.#deleted === undefined && this.#view !== null) {
      const { whole, part, table } = this.#view;
      const bits = outsideShard(this.buckets, whole.deleted, table, part.shard);
      this.#deleted = copyBitmap(this.arena, bits);
    }
    return this.#deleted ?? null;
  }

  /** The memory that its largest file is mapped into: most often that of all. */
  get arena(): Arena {
    let largest: Region | null = null;
    for (const { file } of this.#files.values()) {
      if (largest === null || file.length > largest.length) largest = file;
    }
    if (largest === null) throw corrupt(`segment ${this.id}`, 'it has no files');
    return largest.arena;
  }

  get liveDocs(): number {
    return this.docs - this.deletedDocs;
  }

  isDeleted(doc: number): boolean {
    const { deleted } = this;
    return deleted !== null && (deleted[doc >> 5] & (1 << (doc & 31))) !== 0;
  }

  /** Keys; `find` sees live documents only. */
  get keys(): SegmentKeys {
    if (this.#view !== null) return (this.#shardKeys ??= this.#keysOfShard());
    if (this.#files.has('core/-1')) return this.#core;
    return this.#required('keys', (payload, path) => {
      const keys = PackedKeys.open(payload, path);
      keys.hide(this.deleted);
      return keys;
    });
  }

  #keysOfShard(): PackedKeys {
    void this.whole.keys; // checks them
    const { payload, path } = this.#files.get('keys/-1')!;
    const keys = PackedKeys.open(payload, path);
    keys.hide(this.deleted);
    return keys;
  }

  /** By document: the 64-bit row hash. */
  get rowHashes(): BigUint64Array {
    if (this.#files.has('core/-1')) return this.#core.rowHashes;
    const column = this.#required('hashes', openRowHashes);
    column.need();
    return column.hashes;
  }

  /** Row locators. */
  get locators(): Locators {
    return this.#required('locators', Locators.open);
  }

  /** The 64-bit row hash of a document. */
  hash(doc: number): bigint {
    if (this.#files.has('core/-1')) return this.#core.rowHashes[doc];
    const column = this.#required('hashes', openRowHashes);
    column.need(doc);
    return column.hashes[doc];
  }

  /** Terms and postings of a field by its plan's id, or null where it has none. */
  inverted(field: number): InvertedReader | null {
    let reader = this.#inverted[field];
    if (this.#cold !== null) reader?.needOpening();
    if (reader === undefined) {
      const open = (kind: 'text' | 'keyword') =>
        this.#structure(kind, field, (payload) => InvertedReader.open(payload, this.docs, kind));
      this.#inverted[field] = reader = open('text') ?? open('keyword');
    }
    return reader;
  }

  /** The numeric column of a field by its plan's id, or null where it has none. */
  numeric(field: number): NumericColumn | null {
    return this.#structure('numeric', field, NumericColumn.open);
  }

  /** The ordinal column of a field by its plan's id, or null where it has none. */
  ordinals(field: number): OrdinalColumn | null {
    return this.#structure('ordinal', field, OrdinalColumn.open);
  }

  /**
   * The column of a field by its plan's id, or null where it has none. Of a cold file only what is
   * demanded is there: by `needDoc`, and by ranges of numbers.
   */
  column(field: number): NumericColumn | OrdinalColumn | null {
    return (
      this.#structure('numeric', field, NumericColumn.open, true) ??
      this.#structure('ordinal', field, OrdinalColumn.open, true)
    );
  }

  /**
   * The vectors of a field by its plan's id, or null where it has none. `inParts`: of a cold file
   * only what `nearest` demands is there.
   */
  vectors(field: number, inParts = false): VectorReader | null {
    const graph = () => this.#structure('graph', field, openGraph)!;
    const open = (payload: Region, path: string) =>
      new VectorReader(payload, path, this.#files.has(`graph/${field}`) ? graph : null);
    return this.#structure('vector', field, open, inParts);
  }

  /**
   * Live documents with a vector. Where none is deleted the file is not looked at as a whole: for
   * descriptions.
   */
  vectorDocs(field: number): number {
    const framed = this.#files.get(`vector/${field}`);
    if (framed === undefined) return 0;
    const { deleted } = this;
    if (deleted === null) return new VectorReader(framed.payload, framed.path).count;
    const vectors = this.isCold
      ? new VectorReader(framed.payload, framed.path)
      : this.vectors(field)!;
    let live = 0;
    for (let doc = 0; doc < this.docs; doc++) if (!this.isDeleted(doc) && vectors.has(doc)) live++;
    return live;
  }

  /** The stored values of a document by field id; empty where no field is stored. */
  stored(doc: number): StoredRow {
    const groups = this.storedGroups();
    if (groups.length === 1) return groups[0].row(doc);
    return groups.length === 0 ? EMPTY_ROW : joinedRow(groups, doc);
  }

  /** Groups of stored fields. If two have a field, its values are those of the later one. */
  storedGroups(): readonly StoredReader[] {
    this.#stored ??= this.entry.components
      .filter(({ kind }) => kind === 'stored')
      .map(({ field }) => this.#structure('stored', field, StoredReader.open)!);
    return this.#stored;
  }

  /** Checks every byte of every file, whatever was checked before. Throws corrupt_index. */
  verify(check: (framed: FramedFile) => void): void {
    if (this.#cold !== null) this.demandFiles();
    for (const framed of this.#files.values()) check(framed);
  }

  /** Gives the pages of its files back to the system; what is read again comes again. */
  leavePages(): void {
    for (const { file } of this.#files.values()) file.pages?.leave(file.offset, file.length);
  }

  /** One holder more (another commit that names these very files); each calls `release` once. */
  retain(): this {
    if (this.#holders === 0) throw corrupt(`segment ${this.id}`, 'it was closed before this use');
    this.#holders++;
    return this;
  }

  /**
   * One holder less; the last one unmaps the files, and nothing of this reader may be used
   * afterwards. After that it does nothing.
   */
  release(): void {
    if (this.#holders === 0 || --this.#holders > 0) return;
    for (const file of this.#cold?.values() ?? []) file.close();
    for (const framed of this.#files.values()) framed.file.release();
  }

  /** Format 1. */
  get #core(): CoreKeys {
    return this.#required('core', (payload, path) => {
      const keys = CoreKeys.open(payload, path);
      keys.hide(this.deleted);
      return keys;
    });
  }

  /** True if a window's tier is cold: field files are read from an object store on demand. */
  get isCold(): boolean {
    return this.#cold !== null;
  }

  /** True if the keys are read on demand, and their order is not here. */
  get lacksKeyOrder(): boolean {
    if (this.#cold?.has('keys/-1') !== true) return false;
    const keys = this.#open.get('keys/-1') as PackedKeys | undefined;
    return keys?.hasRanks !== true;
  }

  /** Demands all bytes of the column of a field. */
  demandColumn({ id, column }: Pick<FieldPlan, 'id' | 'column'>): void {
    if (column !== null) this.demandFiles(`${column}/${id}`);
  }

  /** Demands all bytes of cold files; those of one component if it is named. */
  demandFiles(component?: string): void {
    if (this.#cold === null) return;
    if (component !== undefined) this.#cold.get(component)?.demandAll();
    else demandWhole([...this.#cold.values()]);
  }

  #required<T extends object>(kind: ComponentKind, open: (payload: Region, path: string) => T): T {
    const structure = this.#structure(kind, -1, open);
    if (structure !== null) return structure;
    throw corrupt(`segment ${this.id}`, `it has no component "${kind}"`);
  }

  #structure<T extends object>(
    kind: ComponentKind,
    field: number,
    open: (payload: Region, path: string) => T,
    inParts = IN_PARTS.has(kind),
  ): T | null {
    const name = componentName({ kind, field });
    if (!inParts) this.#cold?.get(name)?.needAll(name);
    const known = this.#open.get(name);
    if (known !== undefined) return known as T;
    const framed = this.#files.get(name);
    if (framed === undefined) return null;
    if (this.#cold?.has(name) !== true) this.#verification.check(framed);
    const structure = open(framed.payload, framed.path);
    if ('docs' in structure && structure.docs !== this.docs) {
      throw corrupt(framed.path, `it has ${structure.docs} documents, expected ${this.docs}`);
    }
    this.#open.set(name, structure);
    return structure;
  }
}
