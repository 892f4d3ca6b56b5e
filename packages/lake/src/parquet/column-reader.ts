import type { Value } from '../schema/type.ts';
import { assembler, cursorsOf } from './assemble.ts';
import { LeafCursor, type ReadWeight } from './leaf-cursor.ts';
import type { ByteCost, ParquetFile } from './parquet-file.ts';
import type { ReadPlan } from './read-plan.ts';
import type { LeafNode } from './schema-tree.ts';

/** One column of the schema over all its leaves. What it reads is added to `weight`. */
export class ColumnReader {
  readonly #cursors: readonly LeafCursor[];
  readonly #read: () => Value;

  constructor(file: ParquetFile, plan: ReadPlan, weight: ReadWeight, cost: ByteCost | undefined) {
    const cursors = new Map<LeafNode, LeafCursor>();
    const cursorOf = (leaf: LeafNode): LeafCursor => {
      const cursor = cursors.get(leaf) ?? new LeafCursor(file, leaf, weight, cost);
      cursors.set(leaf, cursor);
      return cursor;
    };
    this.#cursors = [...cursorsOf(plan, cursorOf)];
    this.#read = assembler(plan, cursorOf, file.path);
  }

  /** Whether the pages of `row` are loaded; if so, `read` reads that row next. */
  reach(row: number): boolean {
    let here = true;
    for (const cursor of this.#cursors) here = cursor.reach(row) && here;
    return here;
  }

  /** Loads the pages of `row`, which `read` reads next. */
  async seek(row: number): Promise<void> {
    await Promise.all(this.#cursors.map((cursor) => cursor.seek(row)));
  }

  /** The leaves of the column. */
  get leaves(): readonly LeafNode[] {
    return this.#cursors.map((cursor) => cursor.leaf);
  }

  /** Lets the loaded pages go. */
  release(): void {
    for (const cursor of this.#cursors) cursor.release();
  }

  read(): Value {
    return this.#read();
  }
}
