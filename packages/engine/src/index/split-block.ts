import { LhsError } from '@lakehouse-search/contract';
import type { DocumentBlock, FieldBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { shardTable } from '../schema/sharding/bucket-map.ts';
import { shardOfKey } from '../schema/sharding/key-buckets.ts';
import { type WindowLayout, type WindowStart, windowOf, windowRange } from '../schema/windows.ts';
import type { SegmentLayout } from './commits/commit.ts';

/** Documents of a block that belong to one shard and window, in their order. */
export interface SegmentBlock {
  readonly shard: number;
  /** undefined: the index has no windows. */
  readonly window: WindowStart | undefined;
  readonly block: DocumentBlock;
}

/** A block by the shards of its keys (ascending) and the windows of its dates, none empty. */
export function splitBlock(
  block: DocumentBlock,
  { windows, ...layout }: SegmentLayout,
  plans: readonly FieldPlan[],
): readonly SegmentBlock[] {
  const parts = splitByShard(block, layout);
  if (windows === null) return parts.map((part) => ({ ...part, window: undefined }));
  return parts.flatMap(({ shard, block: own }) =>
    splitByWindow(own, windows, plans).map((part) => ({ shard, ...part })),
  );
}

function splitByWindow(
  block: DocumentBlock,
  layout: WindowLayout,
  plans: readonly FieldPlan[],
): readonly Omit<SegmentBlock, 'shard'>[] {
  const windows = windowsOfDocs(block, layout, plans);
  const docs = Map.groupBy(windows.keys(), (doc) => windows[doc]);
  return [...docs].map(([window, own]) => ({
    window,
    block: selectDocs(block, Int32Array.from(own)),
  }));
}

/** The window of each document. Neighbours are often in one window, so its bounds are kept. */
function windowsOfDocs(
  { docs, fields }: DocumentBlock,
  { field, every }: WindowLayout,
  plans: readonly FieldPlan[],
): readonly WindowStart[] {
  const name = plans.find(({ id }) => id === field)?.name ?? '';
  const dates = fields.get(name);
  if (dates === undefined) return new Array<WindowStart>(docs).fill(null);
  if (dates.kind !== 'long') throw new LhsError('internal', `"${name}" has no dates`);
  let window = 0;
  let range = { lower: 0n, upper: -1n };
  return Array.from({ length: docs }, (_, doc): WindowStart => {
    const at = dates.starts[doc];
    const count = dates.starts[doc + 1] - at;
    if (count === 0) return null;
    if (count > 1) throw new LhsError('internal', `a row has ${count} values of "${name}"`);
    const value = dates.values[at];
    if (value < range.lower || value > range.upper) {
      window = windowOf(value, every);
      range = windowRange(window, every);
    }
    return window;
  });
}

function splitByShard(
  block: DocumentBlock,
  { shards, map }: Pick<SegmentLayout, 'shards' | 'map'>,
): readonly Pick<SegmentBlock, 'shard' | 'block'>[] {
  const { docs, keyBytes, keyOffsets } = block;
  if (docs === 0) return [];
  if (shards === 1) return [{ shard: 0, block }];
  const table = shardTable({ shards, map });
  const shardOf = new Uint16Array(docs);
  const counts = new Int32Array(shards);
  for (let doc = 0; doc < docs; doc++) {
    shardOf[doc] = shardOfKey(keyBytes, table, keyOffsets[doc], keyOffsets[doc + 1]);
    counts[shardOf[doc]]++;
  }
  const selections = Array.from(counts, (count) => new Int32Array(count));
  counts.fill(0);
  for (let doc = 0; doc < docs; doc++) selections[shardOf[doc]][counts[shardOf[doc]]++] = doc;
  return selections.flatMap((selection, shard) => {
    if (selection.length === 0) return [];
    return [{ shard, block: selectDocs(block, selection) }];
  });
}

/** The selected documents (ascending) of a block as a block of their own. */
export function selectDocs(block: DocumentBlock, selection: Int32Array): DocumentBlock {
  if (selection.length === block.docs) return block;
  const keys = selectBytes(block.keyOffsets, block.keyBytes, selection);
  return {
    docs: selection.length,
    keyOffsets: keys.offsets,
    keyBytes: keys.bytes,
    files: selection.map((doc) => block.files[doc]),
    positions: selection.map((doc) => block.positions[doc]),
    hashes: BigUint64Array.from(selection, (doc) => block.hashes[doc]),
    ...(block.hashed === undefined ? {} : { hashed: block.hashed }),
    fields: new Map(
      [...block.fields].map(([name, field]) => [name, selectField(field, selection)]),
    ),
  };
}

/** The values of the selected documents of a field, in the order of the selection. */
export function selectField(field: FieldBlock, selection: Int32Array): FieldBlock {
  const { starts, values: taken } = selectStarts(field.starts, selection);
  switch (field.kind) {
    case 'bytes':
      return { kind: field.kind, starts, ...selectBytes(field.offsets, field.bytes, taken) };
    case 'long': {
      const values = new BigInt64Array(taken.length);
      for (let i = 0; i < taken.length; i++) values[i] = field.values[taken[i]];
      return { kind: field.kind, starts, values };
    }
    case 'double': {
      const values = new Float64Array(taken.length);
      for (let i = 0; i < taken.length; i++) values[i] = field.values[taken[i]];
      return { kind: field.kind, starts, values };
    }
    case 'vector': {
      const { dims } = field;
      const scales = new Float32Array(taken.length);
      const codes = new Int16Array(taken.length * dims);
      for (let i = 0; i < taken.length; i++) {
        scales[i] = field.scales[taken[i]];
        codes.set(field.codes.subarray(taken[i] * dims, (taken[i] + 1) * dims), i * dims);
      }
      return { kind: field.kind, starts, dims, scales, codes };
    }
  }
}

/** Where the values of the selected documents begin now, and which values they are. */
function selectStarts(
  starts: Int32Array,
  selection: Int32Array,
): { readonly starts: Int32Array; readonly values: Int32Array } {
  const next = new Int32Array(selection.length + 1);
  for (let i = 0; i < selection.length; i++) {
    next[i + 1] = next[i] + starts[selection[i] + 1] - starts[selection[i]];
  }
  const values = new Int32Array(next[selection.length]);
  let count = 0;
  for (const doc of selection) {
    for (let value = starts[doc]; value < starts[doc + 1]; value++) values[count++] = value;
  }
  return { starts: next, values };
}

function selectBytes(
  offsets: Int32Array,
  bytes: Uint8Array,
  selection: Int32Array,
): { readonly offsets: Int32Array; readonly bytes: Uint8Array } {
  const next = new Int32Array(selection.length + 1);
  for (let i = 0; i < selection.length; i++) {
    next[i + 1] = next[i] + offsets[selection[i] + 1] - offsets[selection[i]];
  }
  const copy = new Uint8Array(next[selection.length]);
  for (let i = 0; i < selection.length; i++) {
    const at = selection[i];
    copy.set(bytes.subarray(offsets[at], offsets[at + 1]), next[i]);
  }
  return { offsets: next, bytes: copy };
}
