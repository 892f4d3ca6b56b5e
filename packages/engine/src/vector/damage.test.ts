import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, test } from 'vitest';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { fixVectors } from '../base/fixed-vector.ts';
import { checkVectors } from './check.ts';
import { VECTOR_SECTIONS } from './format.ts';
import { VectorReader } from './vector-reader.ts';
import { VectorWriter } from './vector-writer.ts';

const arena = plainArena();
const DIMS = 140;

/** 300 documents, two of three with a vector. */
function payload(): Buffer {
  const starts = Int32Array.from({ length: 301 }, (_, i) => Math.ceil((2 * i) / 3));
  const values = Float32Array.from({ length: starts[300] * DIMS }, (_, i) => Math.sin(i * i));
  const writer = new VectorWriter({ dims: DIMS, similarity: 'dot', index: 'flat' });
  writer.add(300, { kind: 'vector', starts, dims: DIMS, ...fixVectors(values, DIMS) });
  return Buffer.concat(writer.finish());
}

function problemsOf(bytes: Uint8Array): readonly string[] {
  const region = arena.allocate(bytes.length);
  region.bytes.set(bytes);
  const problems: string[] = [];
  try {
    const reader = new VectorReader(region, 'test');
    if (reader.docs !== 300) problems.push('another number of documents');
    if (reader.metric !== 'dot') problems.push('another similarity');
    checkVectors(reader, (problem) => problems.push(problem));
    reader.nearest(new Float32Array(reader.dims).fill(1), 5, { accept: null });
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    expect(error.code).toBe('corrupt_index');
    problems.push(error.message);
  } finally {
    region.release();
  }
  return problems;
}

describe('a damaged vector file', () => {
  test('differs from an intact file, which has no problem', () => {
    expect(problemsOf(payload())).toEqual([]);
  });

  test('shows a changed byte wherever data is stored twice', () => {
    const whole = payload();
    const view = new DataView(whole.buffer, whole.byteOffset, whole.length);
    for (let section = 0; section < VECTOR_SECTIONS; section++) {
      if (section === 4) continue;
      const from = view.getUint32(4 + 8 * section, true);
      const length = section === 0 ? 13 : view.getUint32(8 + 8 * section, true);
      const step = Math.max(1, Math.floor(length / 97));
      for (let at = from; at < from + length; at += step) {
        const bytes = Uint8Array.from(whole);
        bytes[at] ^= 1 << (at & 7);
        expect(problemsOf(bytes), `section ${section}, byte ${at - from}`).not.toEqual([]);
      }
    }
  });

  test('shows a scale that is not a number', () => {
    const bytes = Uint8Array.from(payload());
    const view = new DataView(bytes.buffer);
    view.setFloat32(view.getUint32(4 + 8 * 4, true), Number.NaN, true);
    expect(problemsOf(bytes)).toEqual(['scale of vector 0']);
  });

  test('is refused if it was cut', () => {
    const whole = payload();
    for (let length = 0; length < whole.length - 16; length += 331) {
      expect(problemsOf(whole.subarray(0, length))).not.toEqual([]);
    }
  });
});
