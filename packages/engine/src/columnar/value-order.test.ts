import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import { NumericColumn } from './numeric-column.ts';
import { NumericWriter } from './numeric-writer.ts';
import { OrdinalColumn } from './ordinal-column.ts';
import { OrdinalWriter } from './ordinal-writer.ts';
import { ASKS_BEFORE_ORDER, valueOrder } from './value-order.ts';

const SEED = 20_261_121;
const arena = plainArena();

function payload(parts: readonly Uint8Array[]) {
  const bytes = Buffer.concat(parts);
  const region = arena.allocate(bytes.length);
  region.bytes.set(bytes);
  return region;
}

const startsOf = (docs: readonly (readonly unknown[])[]): Int32Array => {
  const starts = Int32Array.from([0, ...docs.map((values) => values.length)]);
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  return starts;
};

function numeric(docs: readonly (readonly bigint[])[]): NumericColumn {
  const writer = new NumericWriter(false);
  const values = BigInt64Array.from(docs.flat());
  const block: FieldBlock = { kind: 'long', starts: startsOf(docs), values };
  writer.add(docs.length, values.length === 0 ? null : block);
  return NumericColumn.open(payload(writer.finish()), 'column');
}

function ordinal(docs: readonly (readonly bigint[])[]): OrdinalColumn {
  const writer = new OrdinalWriter();
  const texts = docs.flat().map((value) => Buffer.from(textOf(value)));
  const offsets = startsOf(texts.map((text) => [...text]));
  writer.add(docs.length, {
    kind: 'bytes',
    starts: startsOf(docs),
    offsets,
    bytes: Buffer.concat(texts),
  });
  return OrdinalColumn.open(payload(writer.finish()), 'column');
}

/** Texts in the order of their numbers. */
const textOf = (value: bigint): string => (value + 2n ** 63n).toString().padStart(20, '0');

/** Last values first: what keys that fall as documents rise say of ties. */
const byKey = (docs: number) => () => Int32Array.from({ length: docs }, (_, i) => docs - 1 - i);

function sorted(docs: readonly (readonly bigint[])[], desc: boolean): number[] {
  const best = docs.map((values) => {
    return values.reduce<bigint | null>((a, b) => (a === null || a > b !== desc ? b : a), null);
  });
  return Array.from(byKey(docs.length)()).sort((a, b) => {
    const [x, y] = [best[a]!, best[b]!];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    return x === y ? 0 : x < y !== desc ? -1 : 1;
  });
}

const values = fc
  .constantFrom(5n, 300n, 70_000n, 2n ** 40n, 2n ** 63n - 1n)
  .chain((most) =>
    fc
      .tuple(fc.boolean(), fc.constantFrom(1, 1, 3))
      .chain(([negative, many]) =>
        fc.array(
          fc.array(fc.bigInt({ min: negative ? -most : 0n, max: most }), { maxLength: many }),
          { minLength: 1, maxLength: 120 },
        ),
      ),
  );

describe('the value order of a column', () => {
  test(`equals a sort of its values in random columns (seed ${SEED})`, () => {
    const property = fc.property(values, fc.boolean(), (docs, desc) => {
      for (const column of [numeric(docs), ordinal(docs)]) {
        const ask = () => valueOrder(column, desc, byKey(docs.length));
        for (let i = 0; i < ASKS_BEFORE_ORDER; i++) expect(ask()).toBeNull();
        expect(Array.from(ask()!.docs)).toEqual(sorted(docs, desc));
      }
    });
    fc.assert(property, { seed: SEED, numRuns: 250 });
  });
});
