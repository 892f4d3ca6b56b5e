/**
 * A door behind an index's back: edits of a committed index that no sync makes, and a plain list of
 * what it holds after them.
 */

import { committedDocs, deleteCommitted, moveTo } from '../../../../test/support/writer-edits.ts';
import { type Commit, readCommit, writeCommit } from '../../src/index/commits/commit.ts';
import { type IndexSnapshot, openSnapshot } from '../../src/index/index-snapshot.ts';
import { IndexWriter } from '../../src/index/index-writer.ts';
import type { DocumentBlock } from '../../src/schema/field-block.ts';
import type { FieldPlan } from '../../src/schema/field-plan.ts';
import { writeComponent } from '../../src/segment/entry.ts';
import { encodeLiveDocs } from '../../src/segment/live-docs.ts';
import type { Directory } from '../../src/storage/directory.ts';

/** A document, or the row that it should be. `key` in hex. */
export interface Told {
  readonly key: string;
  readonly hash: bigint;
  readonly path: string;
  readonly position: number;
}

/** What differs between rows and documents, by keys, each list sorted. */
export interface Drift {
  readonly missing: readonly string[];
  readonly extra: readonly string[];
  readonly stale: readonly string[];
}

/** The plain comparison: keys one after another, nothing clever. */
export function naiveDrift(rows: readonly Told[], docs: readonly Told[]): Drift {
  const missing: string[] = [];
  const stale: string[] = [];
  const extra: string[] = [];
  const byKey = Map.groupBy(docs, ({ key }) => key);
  for (const row of rows) {
    const own = byKey.get(row.key) ?? [];
    byKey.delete(row.key);
    if (own.length === 0) missing.push(row.key);
    else if (!own.some((doc) => same(row, doc))) stale.push(row.key);
    for (let more = 1; more < own.length; more++) extra.push(row.key);
  }
  for (const [key, own] of byKey) for (const _ of own) extra.push(key);
  return { missing: missing.sort(), extra: extra.sort(), stale: stale.sort() };
}

const same = (a: Told, b: Told): boolean =>
  a.hash === b.hash && a.path === b.path && a.position === b.position;

export const hex = (key: Uint8Array): string => Buffer.from(key).toString('hex');
const unhex = (key: string): Uint8Array => Uint8Array.from(Buffer.from(key, 'hex'));

/** A block of one document under another key, row hash or place. */
export function retold(block: DocumentBlock, file: number, told: Partial<Told>): DocumentBlock {
  const keyBytes = told.key === undefined ? block.keyBytes : unhex(told.key);
  return {
    ...block,
    keyBytes,
    keyOffsets: Int32Array.of(0, keyBytes.length),
    files: Int32Array.of(file),
    positions: Int32Array.of(told.position ?? block.positions[0]),
    hashes: BigUint64Array.of(told.hash ?? block.hashes[0]),
  };
}

/** Edits of one commit's successor; `docs` follows what they do. */
export class DriftDoor {
  readonly #directory: Directory;
  readonly #plans: readonly FieldPlan[];
  docs: Told[];
  /**
   * Whether merges before the first edit of a `write` are committed: edits find documents there.
   */
  #settled = false;

  constructor(directory: Directory, plans: readonly FieldPlan[], docs: readonly Told[]) {
    this.#directory = directory;
    this.#plans = plans;
    this.docs = [...docs];
  }

  /** Runs edits through a writer, and commits them at the same checkpoint. */
  write(edit: (writer: IndexWriter) => void): void {
    const writer = IndexWriter.open(this.#directory, this.#plans);
    this.#settled = false;
    try {
      edit(writer);
      this.#commit(writer);
    } finally {
      writer.close();
    }
  }

  delete(writer: IndexWriter, key: string): void {
    this.#settle(writer);
    deleteCommitted(writer, this.#directory, unhex(key));
    this.docs = this.docs.filter((doc) => doc.key !== key);
  }

  /** Before the first edit; each document is edited once. */
  #settle(writer: IndexWriter): void {
    if (!this.#settled) this.#commit(writer);
    this.#settled = true;
  }

  #commit(writer: IndexWriter): void {
    const { checkpoint, files } = writer.lastCommit;
    writer.commit({ checkpoint, files });
  }

  add(writer: IndexWriter, block: DocumentBlock, path: string): void {
    writer.add(block);
    const key = hex(block.keyBytes);
    this.docs.push({ key, hash: block.hashes[0], path, position: block.positions[0] });
  }

  move(writer: IndexWriter, key: string, file: number, path: string, position: number): void {
    this.#settle(writer);
    for (const { hash, from } of committedDocs(this.#directory, unhex(key))) {
      moveTo(writer, { key: unhex(key), hash, from, to: { file, position } });
    }
    this.docs = this.docs.map((doc) => (doc.key === key ? { ...doc, path, position } : doc));
  }

  /** Leaves a segment out of the commit. */
  dropSegment(pick: (count: number) => number): void {
    this.#change((commit, snapshot) => {
      const at = pick(commit.segments.length);
      for (const told of livingIn(snapshot, at)) this.#forget(told);
      return { ...commit, segments: commit.segments.filter((_, i) => i !== at) };
    });
  }

  /** Brings a deleted document back to life; does nothing where none is deleted. */
  revive(pick: (count: number) => number, allowed: (key: string) => boolean): void {
    this.#change((commit, snapshot) => {
      const dead = snapshot.segments.flatMap((reader, at) =>
        Array.from({ length: reader.docs }, (_, doc) => ({ reader, at, doc })).filter(
          ({ doc }) => reader.isDeleted(doc) && allowed(hex(reader.keys.key(doc))),
        ),
      );
      if (dead.length === 0) return commit;
      const { reader, at, doc } = dead[pick(dead.length)];
      this.docs.push(toldOf(snapshot, at, doc));
      const deleted = reader.deleted!.slice();
      deleted[doc >> 5] &= ~(1 << (doc & 31));
      const deletedDocs = reader.deletedDocs - 1;
      const parts = encodeLiveDocs({ docs: reader.docs, deletedDocs, deleted });
      const revision = commit.next_revision;
      const live = writeComponent(this.#directory, reader.id, { kind: 'live', revision }, parts);
      const others = reader.entry.components.filter(({ kind }) => kind !== 'live');
      const entry = { ...reader.entry, deletedDocs, components: [...others, live] };
      const segments = commit.segments.map((own, i) => (i === at ? entry : own));
      return { ...commit, segments, next_revision: revision + 1 };
    });
  }

  #change(edit: (commit: Commit, snapshot: IndexSnapshot) => Commit): void {
    const snapshot = openSnapshot(this.#directory);
    try {
      const commit = edit(readCommit(this.#directory)!, snapshot);
      writeCommit(this.#directory, { ...commit, number: commit.number + 1 });
    } finally {
      snapshot.release();
    }
  }

  #forget(told: Told): void {
    const at = this.docs.findIndex((doc) => doc.key === told.key && same(doc, told));
    if (at < 0) throw new Error(`document ${told.key} is in the index but not in the list`);
    this.docs.splice(at, 1);
  }
}

function toldOf({ segments, files }: IndexSnapshot, at: number, doc: number): Told {
  const { keys, rowHashes, locators } = segments[at];
  return {
    key: hex(keys.key(doc)),
    hash: rowHashes[doc],
    path: files.at(locators.file(doc)).path,
    position: locators.position(doc),
  };
}

function livingIn(snapshot: IndexSnapshot, at: number): Told[] {
  const reader = snapshot.segments[at];
  return Array.from({ length: reader.docs }, (_, doc) => doc)
    .filter((doc) => !reader.isDeleted(doc))
    .map((doc) => toldOf(snapshot, at, doc));
}

/** All documents of an index. */
export function toldDocs(directory: Directory): Told[] {
  const snapshot = openSnapshot(directory);
  try {
    return snapshot.segments.flatMap((_, at) => livingIn(snapshot, at));
  } finally {
    snapshot.release();
  }
}
