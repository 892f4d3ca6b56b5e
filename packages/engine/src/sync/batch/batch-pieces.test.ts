import type { Batch } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { piecesOf } from './batch-pieces.ts';

const MIB = 2 ** 20;

/** A batch of one column of texts of these sizes, each filled with the number of its row. */
function batchOf(sizes: readonly number[]): Batch {
  const offsets = new Int32Array(sizes.length + 1);
  sizes.forEach((size, row) => {
    offsets[row + 1] = offsets[row] + size;
  });
  const bytes = new Uint8Array(offsets[sizes.length]);
  for (const row of sizes.keys()) bytes.fill(row, offsets[row], offsets[row + 1]);
  const positions = Int32Array.from(sizes, (_, row) => row + 7);
  const columns = [{ kind: 'utf8', nulls: null, offsets, bytes }] as const;
  return { rows: sizes.length, columns, file: 'f', positions };
}

describe('the pieces of a batch', () => {
  it('are the batch itself where its texts are short', async () => {
    const batch = batchOf([1, 2, 3]);
    expect(await Array.fromAsync(piecesOf(batch))).toEqual([batch]);
  });

  it('are whole rows in order, of 4 MiB unless one row is larger', async () => {
    const sizes = [MIB, MIB, MIB, 9 * MIB, 0, 3, 4 * MIB, MIB];
    const pieces = await Array.fromAsync(piecesOf(batchOf(sizes)));
    expect(pieces.map(({ positions }) => [...positions])).toEqual([
      [7, 8, 9],
      [10],
      [11, 12],
      [13],
      [14],
    ]);
    for (const { columns, positions } of pieces) {
      const [column] = columns;
      if (column.kind !== 'utf8') throw new Error('no texts');
      positions.forEach((position, row) => {
        const value = column.bytes.subarray(column.offsets[row], column.offsets[row + 1]);
        expect(value.length).toBe(sizes[position - 7]);
        expect(value.every((byte) => byte === position - 7)).toBe(true);
      });
    }
  });

  it('end with interrupted where the signal is aborted between two of them', async () => {
    const stop = new AbortController();
    const seen: number[] = [];
    const read = async () => {
      for await (const { rows } of piecesOf(batchOf([3 * MIB, 3 * MIB, 3 * MIB]), stop.signal)) {
        seen.push(rows);
        setImmediate(() => stop.abort());
      }
    };
    await expect(read()).rejects.toMatchObject({ code: 'interrupted' });
    expect(seen.length).toBeLessThan(3);
  });
});
