import { describe, expect, it } from 'vitest';
import { parseTimestamp } from './civil-time.ts';
import { applyTransform, murmur3, parseTransform, transformText } from './transform.ts';
import type { Type, Value } from './type.ts';

const us = (text: string): bigint => parseTimestamp(text, 6)!;
const ns = (text: string): bigint => parseTimestamp(text, 9)!;

/** Published vectors: format/spec.md, Appendix B. */
const HASHES: readonly (readonly [Type, Value, number])[] = [
  [{ kind: 'int' }, 34, 2017239379],
  [{ kind: 'long' }, 34n, 2017239379],
  [{ kind: 'decimal', precision: 9, scale: 2 }, 1420n, -500754589],
  [{ kind: 'date' }, 17486, -653330422],
  [{ kind: 'time' }, 81_068_000_000n, -662762989],
  [{ kind: 'timestamp' }, us('2017-11-16T22:31:08'), -2047944441],
  [{ kind: 'timestamp' }, us('2017-11-16T22:31:08.000001'), -1207196810],
  [{ kind: 'timestamptz' }, us('2017-11-16T14:31:08-08:00'), -2047944441],
  [{ kind: 'timestamp_ns' }, ns('2017-11-16T22:31:08'), -737750069],
  [{ kind: 'timestamp_ns' }, ns('2017-11-16T22:31:08.000001'), -976603392],
  [{ kind: 'timestamp_ns' }, ns('2017-11-16T22:31:08.000000001'), -160215926],
  [{ kind: 'string' }, 'iceberg', 1210000089],
  [{ kind: 'uuid' }, 'f79c3e09-677c-4bbd-a479-3f349cb785e7', 1488055340],
  [{ kind: 'fixed', length: 4 }, new Uint8Array([0, 1, 2, 3]), -188683207],
  [{ kind: 'binary' }, new Uint8Array([0, 1, 2, 3]), -188683207],
];

describe('the bucket transform', () => {
  it.each(HASHES)('of %o %s hashes as published', (type, value, hash) => {
    for (const buckets of [16, 1000, 0x7fffffff]) {
      const transform = parseTransform(`bucket[${buckets}]`);
      expect(applyTransform(transform, type, value)).toBe((hash & 0x7fffffff) % buckets);
    }
  });

  it('hashes the empty input to zero', () => {
    expect(murmur3(new Uint8Array(0))).toBe(0);
  });
});

describe('the truncate transform', () => {
  it.each([
    [{ kind: 'int' }, 1, 0],
    [{ kind: 'int' }, -1, -10],
    [{ kind: 'long' }, -1n, -10n],
    [{ kind: 'decimal', precision: 9, scale: 2 }, 1065n, 1060n],
    [{ kind: 'string' }, 'iceberg tables', 'iceberg ta'],
    [{ kind: 'string' }, '😀'.repeat(12), '😀'.repeat(10)],
  ] as readonly (readonly [Type, Value, Value])[])('of %o %s', (type, value, expected) => {
    expect(applyTransform(parseTransform('truncate[10]'), type, value)).toBe(expected);
  });
});

describe('date and time transforms', () => {
  it.each([
    ['year', -1, 1969 - 1970],
    ['month', -1, -1],
    ['day', -1, -1],
    ['hour', null, -1],
    ['year', 17486, 47],
    ['month', 17486, 47 * 12 + 10],
  ] as const)('%s of day %s', (name, days, expected) => {
    const transform = parseTransform(name);
    if (days !== null) expect(applyTransform(transform, { kind: 'date' }, days)).toBe(expected);
    const micros = days === null || days < 0 ? -1n : us('2017-11-16T22:31:08');
    expect(applyTransform(transform, { kind: 'timestamptz' }, micros)).toBe(expected);
    expect(applyTransform(transform, { kind: 'timestamp_ns' }, micros * 1000n)).toBe(expected);
  });
});

describe('partition transforms', () => {
  it('keep the text of unknown ones and refuse absurd widths', () => {
    for (const text of [
      'zorder[4]',
      'bucket[0]',
      'bucket[99999999999]',
      'truncate[-1]',
      'IDENTITY',
    ]) {
      expect(parseTransform(text)).toEqual({ kind: 'unknown', text });
      expect(transformText(parseTransform(text))).toBe(text);
    }
    expect(transformText(parseTransform('bucket[16]'))).toBe('bucket[16]');
    expect(applyTransform(parseTransform('void'), { kind: 'int' }, 3)).toBeNull();
  });
});
