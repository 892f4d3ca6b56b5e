import { describe, expect, test } from 'vitest';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { seededNumbers } from '../../../../test/support/random.ts';
import { codeQuery } from './coded-query.ts';
import { DOTS_AT, kernelsOf, LIST_AT, QUERY_AT } from './vector-kernels.ts';

const arena = plainArena();
const kernels = kernelsOf(arena);

const random = seededNumbers(1234567);

const listOf = (count: number, of: (at: number) => number): number[] =>
  Array.from({ length: count }, (_, at) => of(at));
const sumOf = (count: number, of: (at: number) => number): number =>
  listOf(count, of).reduce((sum, one) => sum + one, 0);
const answers = (count: number): number[] => [
  ...arena.i32.subarray(DOTS_AT >> 2, (DOTS_AT >> 2) + count),
];

describe('vector kernels', () => {
  test.each([16, 32, 48, 384, 400, 4096])('give the dot products of rows of %i bytes', (row) => {
    const most = 40;
    const region = arena.allocate(most * row);
    const rows = new Int8Array(arena.memory.buffer, region.offset, most * row);
    const query = new Int16Array(arena.memory.buffer, QUERY_AT, row);
    const reach = Math.min(32_767, Math.floor((2 ** 31 - 1) / (128 * row)));
    // Heads of 16 bytes in one plane, tails of the others in a second one.
    const tails = most * 16;
    const dot = (from: number, other: { readonly [at: number]: number }, length: number) =>
      sumOf(length, (c) => rows[from + c] * other[c]);
    const whole = (slot: number, head: Int16Array | Int8Array, tail: Int16Array | Int8Array) =>
      dot(16 * slot, head, 16) + dot(tails + slot * (row - 16), tail, row - 16);
    for (const extreme of [false, true]) {
      for (let i = 0; i < rows.length; i++) rows[i] = extreme ? -128 : random() * 256;
      for (let c = 0; c < row; c++) {
        query[c] = extreme ? -reach : Math.round((2 * random() - 1) * reach);
      }
      for (let count = 0; count <= 9; count++) {
        kernels.dots(region.offset, count, row, QUERY_AT, DOTS_AT);
        expect(answers(count)).toEqual(listOf(count, (i) => dot(i * row, query, row)));
      }
      const slots = listOf(most, () => Math.floor(random() * most));
      arena.i32.set(slots, LIST_AT >> 2);
      const places = [region.offset, region.offset + tails, LIST_AT] as const;
      for (const count of [0, 1, 3, 4, 5, 39]) {
        const some = slots.slice(0, count);
        kernels.dotsOf(region.offset, LIST_AT, count, row, QUERY_AT, DOTS_AT);
        expect(answers(count)).toEqual(some.map((slot) => dot(slot * row, query, row)));
        kernels.wholeDotsOf(...places, count, 16, row - 16, QUERY_AT, QUERY_AT + 32, DOTS_AT);
        expect(answers(count)).toEqual(some.map((slot) => whole(slot, query, query.subarray(16))));
        const seventh = [7 * 16, tails + 7 * (row - 16)] as const;
        const [head, tail] = seventh.map((at) => region.offset + at);
        kernels.rowDotsOf(...places, count, 16, row - 16, head, tail, DOTS_AT);
        const planes = seventh.map((at) => rows.subarray(at));
        expect(answers(count)).toEqual(some.map((slot) => whole(slot, planes[0], planes[1])));
      }
    }
    region.release();
  });

  test('bound the distance of a coded query from the query', () => {
    for (const dims of [1, 3, 384, 4096]) {
      const values = Float32Array.from({ length: dims }, () => random() - 0.5);
      const { step, codes, rest, sum } = codeQuery(values);
      let [left, total] = [0, 0];
      codes.forEach((code, c) => {
        left += (values[c] - step * code) ** 2;
        total += code;
      });
      expect(rest).toBeGreaterThanOrEqual(Math.sqrt(left));
      expect(rest).toBeLessThan(1e-3 * Math.sqrt(dims));
      expect(sum).toBe(total);
    }
  });
});
