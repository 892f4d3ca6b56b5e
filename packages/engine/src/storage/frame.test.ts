import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { openFramed, readFramed, verifyFramed, writeFramed } from './frame.ts';
import { openSections, packSections } from './sections.ts';

const seed = 20_260_301;
const arena = plainArena();
const codeOf = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'none';
};

describe('a framed file', () => {
  test('gives back what was written, at a 64-byte boundary', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), (parts) => {
        const directory = new MemoryDirectory(arena);
        const seal = writeFramed(directory, 'a', 'stored', parts);
        const framed = openFramed(directory, 'a', 'stored', seal);
        verifyFramed(framed);
        expect(framed.payload.offset % 64).toBe(0);
        expect(Buffer.from(framed.payload.bytes)).toEqual(Buffer.concat(parts));
        expect(Buffer.from(readFramed(directory, 'a', 'stored'))).toEqual(Buffer.concat(parts));
        framed.file.release();
      }),
      { seed, numRuns: 100 },
    );
  });

  test('detects every flipped bit and every truncation', () => {
    const directory = new MemoryDirectory(arena);
    const seal = writeFramed(directory, 'a', 'stored', [Buffer.from('forty-two bytes of payload')]);
    const whole = directory.read('a');
    const broken = (bytes: Uint8Array) => new MemoryDirectory(arena, new Map([['a', bytes]]));
    for (let bit = 0; bit < 8 * whole.length; bit++) {
      const bytes = whole.slice();
      bytes[bit >> 3] ^= 1 << (bit & 7);
      const flipped = broken(bytes);
      const read = () => readFramed(flipped, 'a', 'stored');
      const open = () => verifyFramed(openFramed(flipped, 'a', 'stored', seal));
      expect(codeOf(read), `bit ${bit}`).toMatch(/corrupt_index|unsupported/);
      expect(codeOf(open), `bit ${bit}`).toMatch(/corrupt_index|unsupported/);
    }
    for (let length = 0; length < whole.length; length++) {
      const cut = broken(whole.slice(0, length));
      expect(
        codeOf(() => openFramed(cut, 'a', 'stored')),
        `length ${length}`,
      ).toBe('corrupt_index');
    }
  });

  test('refuses another kind, and another file of the same kind', () => {
    const directory = new MemoryDirectory(arena);
    const seal = writeFramed(directory, 'a', 'stored', [Buffer.from('one')]);
    writeFramed(directory, 'b', 'stored', [Buffer.from('two')]);
    expect(codeOf(() => openFramed(directory, 'a', 'core'))).toBe('corrupt_index');
    expect(codeOf(() => openFramed(directory, 'b', 'stored', seal))).toBe('corrupt_index');
    expect(codeOf(() => openFramed(directory, 'c', 'stored'))).toBe('corrupt_index');
    expect(codeOf(() => writeFramed(directory, '../a', 'stored', []))).toBe('invalid_argument');
  });

  test('aligns its sections and refuses a wrong section table', () => {
    const sections = [Uint8Array.of(1, 2, 3), Int32Array.of(7, 8), new Uint8Array(0)];
    const bytes = Buffer.concat(packSections(sections));
    const region = (content: Uint8Array) => {
      const place = arena.allocate(content.length);
      place.bytes.set(content);
      return place;
    };
    const open = openSections(region(bytes), 3, 'x');
    expect([...open.bytes(0)]).toEqual([1, 2, 3]);
    expect([...open.i32(1)]).toEqual([7, 8]);
    expect(open.bytes(2).length).toBe(0);
    expect(open.i32(1).byteOffset % 16).toBe(0);
    expect(codeOf(() => openSections(region(bytes), 2, 'x'))).toBe('corrupt_index');
    const lying = Uint8Array.from(bytes);
    lying[8] = 255;
    expect(codeOf(() => openSections(region(lying), 3, 'x'))).toBe('corrupt_index');
  });

  test('is refused before it is written if no arena could hold it', () => {
    const directory = new MemoryDirectory(arena);
    const part = new Uint8Array(64 * 2 ** 20);
    const parts = Array.from({ length: 28 }, () => part);
    expect(parts.length * part.length).toBeLessThan(2 ** 31);
    expect(codeOf(() => writeFramed(directory, 'large', 'vector', parts))).toBe('limit_exceeded');
    expect(directory.list()).toEqual([]);
  });
});
