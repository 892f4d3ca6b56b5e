/**
 * The memory of document blocks: copies that a thread takes over, and the arrays of a block, to be
 * transferred or released.
 */
import type { Batch } from '@lakehouse-search/lake';
import { releaseArrays } from '../base/arrays/release-arrays.ts';
import type { DocumentBlock, FieldBlock } from '../schema/field-block.ts';

/** The part of a block that a share needs, in memory of its own: the caller keeps the rest. */
export function copyOfBlock(
  block: DocumentBlock,
  names: ReadonlySet<string>,
  rows: boolean,
): DocumentBlock {
  const fields = new Map<string, FieldBlock>();
  for (const [name, field] of block.fields) if (names.has(name)) fields.set(name, copied(field));
  const { docs, hashed } = block;
  if (!rows) return { ...NO_ROWS, docs, fields };
  return {
    docs,
    keyOffsets: block.keyOffsets.slice(0, docs + 1),
    keyBytes: block.keyBytes.slice(0, block.keyOffsets[docs]),
    files: block.files.slice(),
    positions: block.positions.slice(),
    hashes: block.hashes.slice(),
    ...(hashed === undefined ? {} : { hashed }),
    fields,
  };
}

const NO_ROWS = Object.freeze({
  keyOffsets: new Int32Array(0),
  keyBytes: new Uint8Array(0),
  files: new Int32Array(0),
  positions: new Int32Array(0),
  hashes: new BigUint64Array(0),
});

/** A copy of the values. The buffer of a view can be much larger than the view. */
function copied(field: FieldBlock): FieldBlock {
  const starts = field.starts.slice();
  const count = starts[starts.length - 1];
  switch (field.kind) {
    case 'bytes': {
      const from = count === 0 ? 0 : field.offsets[0];
      const offsets = new Int32Array(count + 1);
      for (let i = 0; i < count; i++) offsets[i + 1] = field.offsets[i + 1] - from;
      return { ...field, starts, offsets, bytes: field.bytes.slice(from, from + offsets[count]) };
    }
    case 'long':
      return { ...field, starts, values: field.values.slice(0, count) };
    case 'double':
      return { ...field, starts, values: field.values.slice(0, count) };
    case 'vector': {
      const scales = field.scales.slice(0, count);
      return { ...field, starts, scales, codes: field.codes.slice(0, count * field.dims) };
    }
  }
}

/** All arrays of a block whose memory is its own. */
export function arraysOfBlock(block: DocumentBlock): readonly ArrayBufferView[] {
  const { files, positions, fields } = block;
  const rows = block.keyOffsets.length === 0 ? [] : [files, positions];
  const starts = [...fields.values()].map((field) => field.starts);
  return [...rows, ...starts, ...valueArrays(block)];
}

/** The arrays that hold the values of a block: keys, hashes and fields. */
function valueArrays(block: DocumentBlock): readonly ArrayBufferView[] {
  const { keyOffsets, keyBytes, hashes, fields } = block;
  const rows = keyOffsets.length === 0 ? [] : [keyOffsets, keyBytes, hashes];
  return [...rows, ...[...fields.values()].flatMap(arraysOfField)];
}

function arraysOfField(field: FieldBlock): readonly ArrayBufferView[] {
  switch (field.kind) {
    case 'bytes':
      return [field.offsets, field.bytes];
    case 'vector':
      return [field.scales, field.codes];
    default:
      return [field.values];
  }
}

/**
 * Releases the values of a batch and of the block that was made of it. Nothing may use either
 * afterwards. Starts and positions stay: blocks share them.
 */
export function releaseRows(batch: Batch, block: DocumentBlock): void {
  releaseArrays(valueArrays(block));
  releaseBatch(batch);
}

/** Releases the values of a batch, which nothing may use afterwards. */
export function releaseBatch({ columns }: Batch): void {
  for (const column of columns) {
    if (column.kind === 'utf8') releaseArrays([column.nulls, column.offsets, column.bytes]);
    else if (column.kind !== 'values') releaseArrays([column.nulls, column.values]);
  }
}
