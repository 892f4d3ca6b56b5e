import type { Batch } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import type { DocumentBlock } from '../schema/field-block.ts';
import { arraysOfBlock, copyOfBlock, releaseBatch, releaseRows } from './block-memory.ts';

const ROWS = 4096;

/** Rows with a text and a number each, and a block that shares their arrays. */
function sharedRows(): { readonly rows: Batch; readonly block: DocumentBlock } {
  const offsets = Int32Array.from({ length: ROWS + 1 }, (_, i) => 5 * i);
  const bytes = new Uint8Array(5 * ROWS).fill(97);
  const values = new BigInt64Array(ROWS).fill(7n);
  const starts = Int32Array.from({ length: ROWS + 1 }, (_, i) => i);
  const positions = starts.slice(0, ROWS);
  const columns = [
    { kind: 'utf8', nulls: null, offsets, bytes },
    { kind: 'int64', nulls: null, values },
  ] as const;
  const block: DocumentBlock = {
    docs: ROWS,
    ...{ keyOffsets: offsets, keyBytes: bytes },
    ...{ files: new Int32Array(ROWS), positions, hashes: new BigUint64Array(ROWS) },
    fields: new Map([
      ['text', { kind: 'bytes', starts, offsets, bytes }],
      ['number', { kind: 'long', starts, values }],
    ]),
  };
  return { rows: { rows: ROWS, columns, file: 'f', positions }, block };
}

const lengths = (arrays: readonly ArrayBufferView[]) => arrays.map((array) => array.byteLength);

describe('the memory of a block and its rows', () => {
  it('is free once both were released, except for starts and positions, which blocks share', () => {
    const { rows, block } = sharedRows();
    releaseRows(rows, block);
    const [text, number] = [...block.fields.values()];
    if (text.kind !== 'bytes' || number.kind !== 'long') throw new Error('other fields');
    expect(lengths([text.bytes, text.offsets, number.values, block.hashes])).toEqual([0, 0, 0, 0]);
    expect(lengths([text.starts, block.positions])).toEqual([4 * (ROWS + 1), 4 * ROWS]);
  });

  it('does not contain a copy that a thread has', () => {
    const { rows, block } = sharedRows();
    const copy = copyOfBlock(block, new Set(['text', 'number']), true);
    const before = lengths(arraysOfBlock(copy));
    releaseRows(rows, block);
    expect(lengths(arraysOfBlock(copy))).toEqual(before);
  });

  it('may be released twice', () => {
    const { rows, block } = sharedRows();
    releaseBatch(rows);
    expect(() => releaseRows(rows, block)).not.toThrow();
  });
});
