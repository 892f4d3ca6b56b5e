import { expect } from 'vitest';
import { checkIndex } from '../../../../test/support/check-index.ts';
import { filesAndPage } from '../../../../test/support/files-named.ts';
import { deleteAt } from '../../../../test/support/writer-edits.ts';
import { filesOf, readCommit } from '../../src/index/commits/commit.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { IndexWriter, type KeyBatch, VERDICT } from '../../src/index/index-writer.ts';
import type { DocumentBlock } from '../../src/schema/field-block.ts';
import type { FieldPlan } from '../../src/schema/field-plan.ts';
import type { Directory } from '../../src/storage/directory.ts';

/** A small index of numbers by key, its writer, and beside it a plain map of what it must hold. */
const PLANS: readonly FieldPlan[] = [
  { id: 1, name: 'n', type: 'LONG', inverted: null, column: 'numeric', stored: true },
];
const MERGES = {
  floorBytes: 1,
  segmentsPerTier: 3,
  maxBytes: 2 ** 30,
  maxDocs: 10_000,
  deletedPart: 0.3,
};
const FILES = 3;

interface Row {
  readonly n: number;
  readonly file: number;
  readonly position: number;
}
export type Model = ReadonlyMap<string, Row>;

/** What the model holds, as one text; `contentOf` gives the same of a directory. */
export const textOf = (model: Model): string =>
  JSON.stringify([...model].sort(([a], [b]) => (a < b ? -1 : 1)));

const running = (lengths: readonly number[]): Int32Array => {
  const starts = Int32Array.from([0, ...lengths]);
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  return starts;
};
const batchOf = (keys: readonly string[]): KeyBatch => ({
  offsets: running(keys.map((key) => key.length)),
  bytes: Buffer.from(keys.join('')),
});

function blockOf(rows: readonly (readonly [string, Row])[]): DocumentBlock {
  const { offsets, bytes } = batchOf(rows.map(([key]) => key));
  const starts = Int32Array.from({ length: rows.length + 1 }, (_, i) => i);
  return {
    docs: rows.length,
    keyOffsets: offsets,
    keyBytes: bytes,
    files: Int32Array.from(rows, ([, { file }]) => file),
    positions: Int32Array.from(rows, ([, { position }]) => position),
    hashes: BigUint64Array.from(rows, ([, { n }]) => BigInt(n)),
    fields: new Map([
      ['n', { kind: 'long', starts, values: BigInt64Array.from(rows, ([, { n }]) => BigInt(n)) }],
    ]),
  };
}

/** What the newest commit of a directory holds; checks the index against itself on the way. */
export function contentOf(directory: Directory): { number: number; text: string } {
  if (readCommit(directory) === null) return { number: 0, text: textOf(new Map()) };
  const snapshot = openSnapshot(directory);
  try {
    const model = new Map<string, Row>();
    for (const segment of snapshot.segments) {
      for (let doc = 0; doc < segment.docs; doc++) {
        if (segment.isDeleted(doc)) continue;
        const key = Buffer.from(segment.keys.key(doc)).toString();
        const n = Number(segment.numeric(1)?.valueAt(doc, 0));
        const file = segment.locators.file(doc);
        expect(model.has(key)).toBe(false);
        model.set(key, { n, file, position: segment.locators.position(doc) });
      }
    }
    expect(checkIndex(snapshot)).toEqual([]);
    expect(snapshot.liveDocs).toBe(model.size);
    expect(snapshot.checkpoint?.snapshot_id).toBe(String(snapshot.commit.number));
    const { number } = snapshot.commit;
    expect(snapshot.files.at(FILES).path).toBe(`other 0 of ${number}`);
    return { number, text: textOf(model) };
  } finally {
    snapshot.release();
  }
}

/**
 * Files of a directory that its commit does not name; none where there is no commit and no file.
 */
export function orphansOf(directory: Directory): readonly string[] {
  const commit = readCommit(directory);
  const kept = commit === null ? new Set<string>() : filesOf(commit);
  return directory.list().filter((name) => !kept.has(name));
}

/** Drives a writer and its model. `states[n]`: what commit n holds. */
export class SmallIndex {
  readonly states: string[] = [];
  readonly #writer: IndexWriter;
  readonly #onCommit: (number: number) => void;
  readonly #model: Map<string, Row>;
  #next: number;

  constructor(
    directory: Directory,
    model: Model,
    shards: number,
    onCommit: (number: number) => void = () => {},
  ) {
    this.#writer = IndexWriter.open(directory, PLANS, {
      merge: MERGES,
      memoryBytes: 40_000,
      shards,
      now: () => 0,
    });
    this.#model = new Map(model);
    this.#onCommit = onCommit;
    this.#next = 1 + Math.max(0, ...[...model.values()].map(({ position }) => position));
    this.states[this.#writer.lastCommit.number] = textOf(model);
  }

  get model(): Model {
    return this.#model;
  }

  /** New rows for these keys; those that are there are replaced. */
  put(keys: readonly string[]): void {
    deleteAt(
      this.#writer,
      keys.flatMap((key) => this.#model.get(key) ?? []),
    );
    const rows = keys.map((key): [string, Row] => [key, { n: this.#next, ...this.#place() }]);
    this.#writer.add(blockOf(rows));
    for (const [key, row] of rows) this.#model.set(key, row);
  }

  delete(keys: readonly string[]): void {
    deleteAt(
      this.#writer,
      keys.flatMap((key) => this.#model.get(key) ?? []),
    );
    for (const key of keys) this.#model.delete(key);
  }

  /** All rows of a data file go to another, as a compaction of the table moves them. */
  moveFile(from: number): void {
    const to = (from + 1) % FILES;
    const rows = [...this.#model].filter(([, { file }]) => file === from);
    this.#writer.markPositions(new Map([[from, null]]));
    const positions = Int32Array.from(rows, () => this.#next++);
    const verdicts = this.#writer.settle({
      keys: batchOf(rows.map(([key]) => key)),
      hashes: BigUint64Array.from(rows, ([, { n }]) => BigInt(n)),
      file: to,
      positions,
    });
    expect([...verdicts]).toEqual(rows.map(() => VERDICT.same));
    expect(this.#writer.deleteMarked()).toBe(0);
    rows.forEach(([key, { n }], i) => {
      this.#model.set(key, { n, file: to, position: positions[i] });
    });
  }

  flush(): void {
    this.#writer.flush();
  }

  merge(): void {
    this.#writer.merges.run();
  }

  compact(): void {
    this.#writer.merges.runForced(1);
  }

  commit(): void {
    const number = this.#writer.lastCommit.number + 1;
    this.states[number] = textOf(this.#model);
    const checkpoint = {
      table_uuid: 'table',
      snapshot_id: String(number),
      sequence: String(number),
      schema_id: 0,
      schema: null,
      data_files: 0,
      delete_files: 0,
    };
    const files = Array.from({ length: FILES }, (_, i) => `file ${i}`);
    this.#writer.commit({ checkpoint, files: filesAndPage(files, number) });
    this.#onCommit(number);
  }

  close(): void {
    this.#writer.close();
  }

  #place(): { file: number; position: number } {
    const at = this.#next++;
    return { file: at % FILES, position: at };
  }
}
