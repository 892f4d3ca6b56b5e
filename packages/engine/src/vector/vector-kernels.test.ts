import { describe, expect, test } from 'vitest';
import { seededNumbers } from '../../../../test/support/random.ts';
import { plainArena } from '../storage/plain-arena.ts';
import { codeQuery } from './coded-query.ts';
import { createVectorKernels, DOTS_AT, LIST_AT, QUERY_AT } from './vector-kernels.ts';

const arena = plainArena();
const plain = createVectorKernels(arena, true);
const compiled = createVectorKernels(arena, false);

const random = seededNumbers(1234567);

const answers = (count: number): number[] => [
  ...arena.i32.subarray(DOTS_AT >> 2, (DOTS_AT >> 2) + count),
];

describe('vector kernels', () => {
  test.each([16, 32, 48, 384, 400, 4096])('agree with plain loops for rows of %i bytes', (row) => {
    const most = 40;
    const region = arena.allocate(most * row);
    const query = new Int16Array(arena.memory.buffer, QUERY_AT, row);
    const reach = Math.min(32_767, Math.floor((2 ** 31 - 1) / (128 * row)));
    for (const extreme of [false, true]) {
      for (let i = 0; i < region.length; i++) region.bytes[i] = extreme ? 128 : random() * 256;
      for (let c = 0; c < row; c++) {
        query[c] = extreme ? -reach : Math.round((2 * random() - 1) * reach);
      }
      for (let count = 0; count <= 9; count++) {
        arena.i32.fill(-1, DOTS_AT >> 2, (DOTS_AT >> 2) + most);
        plain.dots(region.offset, count, row, QUERY_AT, DOTS_AT);
        const expected = answers(most);
        arena.i32.fill(-1, DOTS_AT >> 2, (DOTS_AT >> 2) + most);
        compiled.dots(region.offset, count, row, QUERY_AT, DOTS_AT);
        expect(answers(count)).toEqual(expected.slice(0, count));
        for (let i = 0; i < count; i++) {
          let sum = 0n;
          for (let c = 0; c < row; c++) {
            sum += BigInt(query[c]) * BigInt((region.bytes[i * row + c] << 24) >> 24);
          }
          expect(BigInt(expected[i])).toBe(sum);
        }
      }
      for (let i = 0; i < most; i++) arena.i32[(LIST_AT >> 2) + i] = Math.floor(random() * most);
      for (const count of [0, 1, 3, 4, 5, 39]) {
        plain.dotsOf(region.offset, LIST_AT, count, row, QUERY_AT, DOTS_AT);
        const expected = answers(count);
        compiled.dotsOf(region.offset, LIST_AT, count, row, QUERY_AT, DOTS_AT);
        expect(answers(count)).toEqual(expected);
        // Heads of 16 bytes in one plane, tails of the others in a second one.
        const tails = region.offset + most * 16;
        const places = [region.offset, tails, LIST_AT, count, 16, row - 16] as const;
        plain.wholeDotsOf(...places, QUERY_AT, QUERY_AT + 32, DOTS_AT);
        const whole = answers(count);
        compiled.wholeDotsOf(...places, QUERY_AT, QUERY_AT + 32, DOTS_AT);
        expect(answers(count)).toEqual(whole);
        const seventh = [region.offset + 7 * 16, tails + 7 * (row - 16)] as const;
        plain.rowDotsOf(...places, ...seventh, DOTS_AT);
        const ofRow = answers(count);
        compiled.rowDotsOf(...places, ...seventh, DOTS_AT);
        expect(answers(count)).toEqual(ofRow);
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
