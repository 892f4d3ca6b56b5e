/** An index writer and a map of what it should hold, driven side by side. */
import { expect } from 'vitest';
import { type Checkpoint, readCommit } from '../../packages/engine/src/index/commits/commit.ts';
import {
  type IndexSnapshot,
  openSnapshot,
} from '../../packages/engine/src/index/index-snapshot.ts';
import {
  IndexWriter,
  type KeyBatch,
  VERDICT,
} from '../../packages/engine/src/index/index-writer.ts';
import { type MergePlan, runJob } from '../../packages/engine/src/index/merges/merge-plan.ts';
import type { DocumentBlock } from '../../packages/engine/src/schema/field-block.ts';
import type { FieldPlan } from '../../packages/engine/src/schema/field-plan.ts';
import type { Merged } from '../../packages/engine/src/segment/merge.ts';
import type { Directory } from '../../packages/engine/src/storage/directory.ts';
import { filesAndPage } from './files-named.ts';
import { plainArena } from './plain-arena.ts';
import { deleteAt, moveTo } from './writer-edits.ts';

export const arena = plainArena();
export const plans: readonly FieldPlan[] = [
  { id: 1, name: 'n', type: 'LONG', inverted: null, column: 'numeric', stored: false },
  { id: 2, name: 'tag', type: 'KEYWORD', inverted: null, column: 'ordinal', stored: true },
];

/** What an index should hold: by key a number and the place of its row. */
export interface Row {
  readonly n: bigint;
  readonly file: number;
  readonly position: number;
}
export type Model = ReadonlyMap<string, Row>;

const running = (lengths: readonly number[]): Int32Array => {
  const starts = Int32Array.from([0, ...lengths]);
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  return starts;
};
export const keysOf = (keys: readonly string[]): KeyBatch => ({
  offsets: running(keys.map((key) => Buffer.byteLength(key))),
  bytes: Buffer.from(keys.join('')),
});

export function blockOf(rows: readonly (readonly [string, Row])[]): DocumentBlock {
  const keys = keysOf(rows.map(([key]) => key));
  const tags = rows.map(([, { n }]) => Buffer.from(`tag ${n}`));
  const starts = running(rows.map(() => 1));
  return {
    docs: rows.length,
    keyOffsets: keys.offsets,
    keyBytes: keys.bytes,
    files: Int32Array.from(rows, ([, { file }]) => file),
    positions: Int32Array.from(rows, ([, { position }]) => position),
    hashes: BigUint64Array.from(rows, ([, { n }]) => BigInt.asUintN(64, n)),
    fields: new Map([
      ['n', { kind: 'long', starts, values: BigInt64Array.from(rows, ([, { n }]) => n) }],
      [
        'tag',
        {
          kind: 'bytes',
          starts,
          offsets: running(tags.map(({ length }) => length)),
          bytes: Buffer.concat(tags),
        },
      ],
    ]),
  };
}

export const checkpointOf = (snapshot: number): Checkpoint => ({
  table_uuid: 'table',
  snapshot_id: String(snapshot),
  sequence: String(snapshot),
  schema_id: 0,
  schema: null,
  data_files: 0,
  delete_files: 0,
});

/** All that a directory's newest commit answers. */
export function contentOf(directory: Directory): { model: Model; snapshot: string | null } {
  if (readCommit(directory) === null) return { model: new Map(), snapshot: null };
  const snapshot = openSnapshot(directory);
  const model = modelOf(snapshot);
  const id = snapshot.checkpoint?.snapshot_id ?? null;
  if (id !== null) expect(snapshot.files.at(3).path).toBe(`other 0 of ${id}`);
  snapshot.release();
  return { model, snapshot: id };
}

/** All that an open commit answers. */
export function modelOf(snapshot: IndexSnapshot): Model {
  const model = new Map<string, Row>();
  for (const segment of snapshot.segments) {
    for (let doc = 0; doc < segment.docs; doc++) {
      if (segment.isDeleted(doc)) continue;
      const key = Buffer.from(segment.keys.key(doc)).toString();
      const n = segment.numeric(1)?.valueAt(doc, 0) as bigint;
      const tag = segment.ordinals(2)?.valueAt(doc, 0) ?? new Uint8Array();
      expect(Buffer.from(tag).toString()).toBe(`tag ${n}`);
      expect(segment.stored(doc).get(2)?.[0]).toEqual(tag);
      expect(segment.hash(doc)).toBe(BigInt.asUintN(64, n));
      expect(segment.keys.find(segment.keys.key(doc))).toBe(doc);
      expect(snapshot.find(segment.keys.key(doc))).toEqual({ segment, doc });
      expect(model.has(key)).toBe(false);
      const { locators } = segment;
      model.set(key, { n, file: locators.file(doc), position: locators.position(doc) });
    }
  }
  expect(snapshot.liveDocs).toBe(model.size);
  return model;
}

export const sorted = (model: Model): [string, Row][] =>
  [...model].sort(([a], [b]) => (a < b ? -1 : 1));

export type Step =
  | { readonly kind: 'put'; readonly keys: readonly number[] }
  | { readonly kind: 'delete'; readonly keys: readonly number[] }
  | { readonly kind: 'delete rows'; readonly keys: readonly number[] }
  | { readonly kind: 'move'; readonly keys: readonly number[] }
  | Rewrite
  | { readonly kind: 'plan' | 'plan all' | 'run' | 'install' | 'drop' }
  | { readonly kind: 'flush' | 'merge' | 'force' | 'commit' | 'rollback' | 'reopen' };

/**
 * A data file is rewritten: rows at its places (every `part`-th is spared; null: none) come again
 * elsewhere, the same or changed, or are gone; other keys appear. `between` happens in the middle.
 */
export interface Rewrite {
  readonly kind: 'rewrite';
  readonly file: number;
  readonly part: number | null;
  readonly fates: readonly ('same' | 'changed' | 'gone')[];
  readonly fresh: readonly number[];
  readonly between: 'flush' | 'merge' | 'install' | 'plan' | 'run' | null;
}

/** Drives a writer and a model side by side. */
export class Pair {
  writer: IndexWriter;
  committed: Model = new Map();
  snapshot = 0;
  readonly #directory: Directory;
  readonly #shards: number;
  #planned: { readonly plan: MergePlan; merged: Merged | null }[] = [];
  #model = new Map<string, Row>();
  #next = 0;

  constructor(directory: Directory, shards = 1) {
    this.#directory = directory;
    this.#shards = shards;
    this.writer = this.#open();
  }

  get model(): Model {
    return this.#model;
  }

  run(step: Step): void {
    this.#run(step);
    if (['put', 'delete', 'move', 'rewrite', 'install'].includes(step.kind)) this.#expectPlaces();
  }

  /** Forgets merges that were planned. */
  dropPlans(): void {
    for (const { plan } of this.#planned.splice(0)) this.writer.merges.drop(plan);
  }

  #run(step: Step): void {
    switch (step.kind) {
      case 'put':
        this.#put(step.keys.map((key) => `k${key}`));
        break;
      case 'delete':
      case 'delete rows':
        this.#delete(
          step.keys.map((key) => `k${key}`),
          step.kind === 'delete rows',
        );
        break;
      case 'move':
        this.#move(step.keys.map((key) => `k${key}`));
        break;
      case 'rewrite':
        this.#rewrite(step);
        break;
      case 'plan':
      case 'plan all':
      case 'run':
      case 'install':
      case 'drop':
        this.#merge(step.kind);
        break;
      case 'flush':
        this.writer.flush();
        break;
      case 'merge':
        this.writer.merges.run();
        return;
      case 'force':
        this.writer.merges.runForced(1);
        return;
      case 'commit':
        this.writer.commit({
          checkpoint: checkpointOf(this.snapshot + 1),
          files: filesAndPage(['a', 'b', 'c'], this.snapshot + 1),
        });
        this.snapshot++;
        this.committed = new Map(this.#model);
        return;
      case 'rollback':
        this.writer.rollback();
        this.#model = new Map(this.committed);
        return;
      case 'reopen':
        this.dropPlans();
        this.writer.close();
        this.writer = this.#open();
        this.#model = new Map(this.committed);
    }
  }

  #open(): IndexWriter {
    const merge = {
      floorBytes: 1,
      segmentsPerTier: 3,
      maxBytes: 2 ** 30,
      maxDocs: 1000,
      deletedPart: 0.3,
    };
    const options = { merge, memoryBytes: 60_000, shards: this.#shards, now: () => 0 };
    return IndexWriter.open(this.#directory, plans, options);
  }

  #place(): { file: number; position: number } {
    const at = this.#next++;
    return { file: at % 3, position: Math.floor(at / 3) };
  }

  /** Replaces rows as a sync does: deletes first. */
  #put(keys: readonly string[]): void {
    deleteAt(this.writer, this.#placesOf(keys));
    const rows = keys.map((key): [string, Row] => [
      key,
      { n: BigInt(this.#next), ...this.#place() },
    ]);
    this.writer.add(blockOf(rows));
    for (const [key, row] of rows) this.#model.set(key, row);
    expect(this.writer.liveDocs).toBe(this.#model.size);
  }

  #delete(keys: readonly string[], byRow: boolean): void {
    const found = keys.filter((key) => this.#model.has(key));
    const places = this.#placesOf(keys);
    const deleted = byRow
      ? places.map((place) => deleteAt(this.writer, [place]))
      : [deleteAt(this.writer, places)];
    expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(found.length);
    for (const key of found) this.#model.delete(key);
  }

  #move(keys: readonly string[]): void {
    for (const key of keys) {
      const row = this.#model.get(key);
      if (row === undefined) continue;
      const to = this.#place();
      const hash = BigInt.asUintN(64, row.n);
      const moved = { key: Buffer.from(key), hash, from: row, to };
      expect(moveTo(this.writer, moved), key).toBe(true);
      this.#model.set(key, { n: row.n, ...to });
    }
    this.#expectPlaces();
  }

  #placesOf(keys: readonly string[]): readonly Row[] {
    return keys.flatMap((key) => this.#model.get(key) ?? []);
  }

  /** Merges as background merges do them, at any moment. */
  #merge(kind: 'plan' | 'plan all' | 'run' | 'install' | 'drop'): void {
    if (kind === 'plan') this.#remember([this.writer.merges.best()]);
    else if (kind === 'plan all') this.#remember(this.writer.merges.forced(1));
    else if (kind === 'run') {
      const next = this.#planned.find(({ merged }) => merged === null);
      if (next !== undefined) next.merged = runJob(next.plan.job, this.#directory);
    } else {
      const ended = kind === 'drop' ? 0 : this.#planned.findIndex(({ merged }) => merged !== null);
      const [one] = ended < 0 ? [] : this.#planned.splice(ended, 1);
      if (one === undefined) return;
      if (kind === 'drop' || one.merged === null) this.writer.merges.drop(one.plan);
      else this.writer.merges.install(one.plan, one.merged);
    }
  }

  #remember(plans: readonly (MergePlan | null)[]): void {
    for (const plan of plans) if (plan !== null) this.#planned.push({ plan, merged: null });
  }

  #rewrite({ file, part, fates, fresh, between }: Rewrite): void {
    const here = [...this.#model]
      .filter(([, row]) => row.file === file)
      .sort(([, a], [, b]) => a.position - b.position)
      .filter((_, i) => part === null || i % (part + 1) === 0);
    const positions = Int32Array.from(here, ([, row]) => row.position);
    this.writer.markPositions(new Map([[file, part === null ? null : positions]]));
    if (between !== null) this.#run({ kind: between });
    const rows = [
      ...here.flatMap(([key, { n }], i): [string, Row, number][] => {
        const fate = fates[i % fates.length];
        if (fate === 'gone') return [];
        const changed = fate === 'changed';
        const row = { n: changed ? n + 1000n : n, ...this.#place() };
        return [[key, row, changed ? VERDICT.changed : VERDICT.same]];
      }),
      ...fresh
        .map((key) => `k${key}`)
        .filter((key) => !this.#model.has(key))
        .map((key): [string, Row, number] => {
          const n = BigInt(this.#next);
          return [key, { n, ...this.#place() }, VERDICT.added];
        }),
    ];
    const later = rows.filter((row) => !this.#settle(row)).map(([key, row]) => [key, row] as const);
    const kept = new Map(rows.map(([key, row]) => [key, row]));
    expect(this.writer.deleteMarked()).toBe(here.filter(([key]) => !kept.has(key)).length);
    for (const [key] of here) this.#model.delete(key);
    for (const [key, row] of kept) this.#model.set(key, row);
    if (later.length > 0) this.writer.add(blockOf(later));
  }

  /** Settles one row; true where nothing is to be added for it. */
  #settle([key, { n, file, position }, expected]: readonly [string, Row, number]): boolean {
    const [verdict] = this.writer.settle({
      keys: keysOf([key]),
      hashes: BigUint64Array.of(BigInt.asUintN(64, n)),
      file,
      positions: Int32Array.of(position),
    });
    expect(verdict, key).toBe(expected);
    return verdict === VERDICT.same;
  }

  /** Every row is found where it lies, and nothing else. */
  #expectPlaces(): void {
    for (const file of [0, 1, 2]) {
      const there = [...this.#model.values()].filter((row) => row.file === file);
      const positions = there.map(({ position }) => position).sort((a, b) => a - b);
      expect([...(this.writer.positionsIn([file]).get(file) ?? [])]).toEqual(positions);
    }
  }
}
