import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodePart } from '../../../../test/support/encode-part.ts';
import { decodePart } from './decode-part.ts';
import type { RowColumn, TypedPart } from './typed-batch.ts';

/** The part after a way through JSON. */
function carried(part: TypedPart): TypedPart {
  const wire: unknown = JSON.parse(JSON.stringify(encodePart(part)));
  return decodePart(wire, 'part', (value) => value);
}

const encoder = new TextEncoder();
const bytesOf = (texts: readonly (Uint8Array | null)[]) => {
  const offsets = new Int32Array(texts.length + 1);
  texts.forEach((text, i) => {
    offsets[i + 1] = offsets[i] + (text?.length ?? 0);
  });
  const bytes = new Uint8Array(offsets[texts.length]);
  texts.forEach((text, i) => {
    if (text !== null) bytes.set(text, offsets[i]);
  });
  return { offsets, bytes };
};

/** Marks of nulls: absent where nothing is null. */
const nullsOf = (values: readonly unknown[]): Uint8Array | null =>
  values.includes(null) ? Uint8Array.from(values, (value) => Number(value === null)) : null;

type Column<T> = (values: readonly (T | null)[]) => RowColumn;
const utf8: Column<Uint8Array> = (values) => {
  return { kind: 'utf8', nulls: nullsOf(values), ...bytesOf(values) };
};
const int32: Column<number> = (values) => {
  return { kind: 'int32', nulls: nullsOf(values), values: Int32Array.from(values, (v) => v ?? 0) };
};
const int64: Column<bigint> = (values) => {
  const filled = BigInt64Array.from(values, (value) => value ?? 0n);
  return { kind: 'int64', nulls: nullsOf(values), values: filled };
};
const float64: Column<number> = (values) => {
  const filled = Float64Array.from(values, (value) => value ?? 0);
  return { kind: 'float64', nulls: nullsOf(values), values: filled };
};
const bool: Column<boolean> = (values) => {
  return { kind: 'bool', nulls: nullsOf(values), values: Uint8Array.from(values, Number) };
};

const rows = (columns: readonly RowColumn[], count: number): TypedPart => {
  const positions = Int32Array.from({ length: count }, (_, i) => 3 * i);
  return { kind: 'rows', batch: { rows: count, columns, file: 'data/a.parquet', positions } };
};

describe('a part of a change batch', () => {
  it('comes out of JSON exactly as it went in, whatever its columns hold', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }).map((value) => encoder.encode(value)),
      fc.uint8Array({ maxLength: 8 }),
    );
    const or = <T>(item: fc.Arbitrary<T>) => fc.option(item, { nil: null, freq: 4 });
    const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const row = fc.tuple(or(text), or(fc.integer()), or(long), or(fc.double()), or(fc.boolean()));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), (table) => {
        const column = <T>(at: number) => table.map((values) => values[at]) as (T | null)[];
        const columns = [
          utf8(column(0)),
          int32(column(1)),
          int64(column(2)),
          float64(column(3)),
          bool(column(4)),
        ];
        const part = rows(columns, table.length);
        expect(carried(part)).toEqual(part);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the values that JSON has no number for', () => {
    const odd = [-0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324];
    const part = rows([float64(odd)], odd.length);
    const back = carried(part) as TypedPart & { readonly kind: 'rows' };
    const [{ values }] = back.batch.columns as [RowColumn & { readonly kind: 'float64' }];
    expect([...values].map((value, i) => Object.is(value, odd[i]))).toEqual(odd.map(() => true));
    const whole = [2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)];
    expect(carried(rows([int64(whole)], 4))).toEqual(rows([int64(whole)], 4));
  });

  it('keeps bytes that are not UTF-8, and a byte order mark', () => {
    const texts = [Uint8Array.of(0xff, 0x61), Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), null];
    expect(carried(rows([utf8(texts)], 3))).toEqual(rows([utf8(texts)], 3));
  });

  it('keeps removed positions, and the removal of a whole file', () => {
    const some: TypedPart = { kind: 'removed', path: 'a', positions: Int32Array.of(0, 7, 9) };
    const all: TypedPart = { kind: 'removed', path: 'a', positions: null };
    expect([carried(some), carried(all)]).toEqual([some, all]);
  });
});
