import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataFile } from '../../test/planned-files.ts';
import type { DataFile } from '../metadata/file-set.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import { compareValues } from '../schema/compare.ts';
import type { PartitionSpec } from '../schema/partition-spec.ts';
import { encodeSingleValue } from '../schema/single-value.ts';
import { applyTransform, parseTransform } from '../schema/transform.ts';
import type { Field, Value } from '../schema/type.ts';
import type { Condition } from './condition.ts';
import { pruneFiles } from './prune.ts';

describe('pruneFiles', () => {
  const fields: Field[] = [
    { id: 1, name: 'i', required: false, type: { kind: 'int' } },
    { id: 2, name: 's', required: false, type: { kind: 'string' } },
    { id: 3, name: 'd', required: false, type: { kind: 'double' } },
    { id: 4, name: 't', required: false, type: { kind: 'timestamp' } },
  ];
  const transforms = ['identity', 'bucket[3]', 'truncate[4]', 'void'];
  const spec = (id: number, sourceId: number, transform: string): PartitionSpec => ({
    specId: id,
    fields: [
      { fieldId: 1000, name: 'p', sourceIds: [sourceId], transform: parseTransform(transform) },
    ],
  });
  const specs = [
    { specId: 0, fields: [] },
    ...transforms.map((t, i) => spec(1 + i, 1, t)),
    ...transforms.map((t, i) => spec(5 + i, 2, t)),
    ...['identity', 'year', 'month', 'day', 'hour'].map((t, i) => spec(9 + i, 4, t)),
    spec(14, 3, 'identity'),
  ];
  const schema = { schemaId: 0, fields, identifierFieldIds: [] };
  const metadata = { schema, specs, schemas: [schema], file: 'm' } as unknown as TableMetadata;

  type Row = readonly [Value, Value, Value, Value];
  const nullable = <T extends Value>(value: fc.Arbitrary<T>) =>
    fc.option(value, { nil: null, freq: 6 });
  const number = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(Number.NaN, -0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  );
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '\uffff'), maxLength: 6 });
  const time = fc.bigInt({ min: -40_000_000_000_000n, max: 40_000_000_000_000n });
  const values: readonly fc.Arbitrary<Exclude<Value, null>>[] = [
    fc.integer({ min: -9, max: 9 }),
    word,
    number,
    time,
  ];
  const row = fc.tuple(...values.map(nullable)) as unknown as fc.Arbitrary<Row>;

  /** The order of the query engine: NaN after all other numbers, the zeros equal. */
  const matches = (condition: Condition, r: Row): boolean => {
    switch (condition.kind) {
      case 'and':
        return condition.parts.every((p) => matches(p, r));
      case 'or':
        return condition.parts.some((p) => matches(p, r));
      case 'is-null':
        return r[condition.fieldId - 1] === null;
      case 'not-null':
        return r[condition.fieldId - 1] !== null;
      case 'in':
        return condition.values.some((v) => same(r[condition.fieldId - 1]!, v));
      case 'compare': {
        const value = r[condition.fieldId - 1]!;
        if (value === null) return false;
        const order = compareValues(value, condition.value);
        const { op } = condition;
        if (op === '=') return order === 0;
        return op === '<'
          ? order < 0
          : op === '<='
            ? order <= 0
            : op === '>'
              ? order > 0
              : order >= 0;
      }
    }
  };
  const same = (a: Value, b: Value) => a !== null && compareValues(a, b) === 0;

  const leaf: fc.Arbitrary<Condition> = fc.integer({ min: 1, max: 4 }).chain((fieldId) => {
    const value = values[fieldId - 1]!;
    return fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('compare' as const),
          fieldId: fc.constant(fieldId),
          op: fc.constantFrom(
            '=' as const,
            '<' as const,
            '<=' as const,
            '>' as const,
            '>=' as const,
          ),
          value,
        }),
      },
      fc.record({
        kind: fc.constant('in' as const),
        fieldId: fc.constant(fieldId),
        values: fc.array(value, { maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('is-null' as const), fieldId: fc.constant(fieldId) }),
      fc.record({ kind: fc.constant('not-null' as const), fieldId: fc.constant(fieldId) }),
    );
  });
  const condition: fc.Arbitrary<Condition> = fc.oneof(
    leaf,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(leaf, { maxLength: 3 }),
    }),
  );

  /**
   * A file as a careful writer would describe it: partition of the first row, rows of that
   * partition only, bounds.
   */
  const fileOf = (rows: readonly Row[], specId: number, counted: boolean) => {
    const [part] = specs[specId]!.fields;
    const image = (r: Row): Value => {
      if (part === undefined) return null;
      const source = part.sourceIds[0]!;
      return applyTransform(part.transform, fields[source - 1]!.type, r[source - 1]!);
    };
    const mine = rows.filter((r) => compareValues(image(r), image(rows[0]!)) === 0);
    const maps = {
      lowerBounds: new Map(),
      upperBounds: new Map(),
      nullCounts: new Map(),
      valueCounts: new Map(),
      nanCounts: new Map(),
    };
    for (const { id, type } of counted ? fields : []) {
      const present = mine.map((r) => r[id - 1]!).filter((v) => v !== null);
      const real = present.filter((v) => !Number.isNaN(v)).sort(compareValues);
      maps.valueCounts.set(id, BigInt(mine.length));
      maps.nullCounts.set(id, BigInt(mine.length - present.length));
      if (type.kind === 'double') maps.nanCounts.set(id, BigInt(present.length - real.length));
      if (real.length === 0) continue;
      maps.lowerBounds.set(id, encodeSingleValue(type, cut(real[0]!, false)));
      maps.upperBounds.set(id, encodeSingleValue(type, cut(real.at(-1)!, true)));
    }
    const partition = part === undefined ? [] : [image(mine[0]!)];
    return {
      rows: mine,
      scan: { data: dataFile('f', { specId, partition, ...maps }), deletes: [] },
    };
  };
  /**
   * Strings are truncated to two characters, the upper bound's last one raised, as Iceberg's
   * writers do.
   */
  const cut = (value: Value, upper: boolean): Value => {
    if (typeof value !== 'string') return value;
    const points = [...value];
    if (points.length <= 2) return value;
    const head = points.slice(0, 2);
    if (upper) head[1] = String.fromCodePoint(head[1]!.codePointAt(0)! + 1);
    return head.join('');
  };

  it('never rules out a file with a row that matches, and rules out many of the others', () => {
    let kept = 0;
    let ruledOut = 0;
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: specs.length - 1 }),
        fc.boolean(),
        condition,
        (rows, specId, counted, asked) => {
          const file = fileOf(rows, specId, counted);
          const left = pruneFiles([file.scan], asked, metadata);
          const hit = file.rows.some((r) => matches(asked, r));
          if (hit) expect(left).toEqual([file.scan]);
          else if (left.length === 0) ruledOut++;
          else kept++;
        },
      ),
      { seed: 20_260_713, numRuns: 5000 },
    );
    expect(ruledOut).toBeGreaterThan(kept);
  });

  const left = (over: Partial<DataFile>, asked: Condition) =>
    pruneFiles([{ data: dataFile('f', over), deletes: [] }], asked, metadata).length === 1;
  const isOne = { kind: 'compare', fieldId: 1, op: '=', value: 1 } as const;
  const bytesOf = (id: number, value: Value) =>
    new Map([[id, encodeSingleValue(fields[id - 1]!.type, value)!]]);

  it('keeps files whose bounds are inverted', () => {
    const lower = bytesOf(1, 9);
    const upper = bytesOf(1, 0);
    for (const op of ['=', '<', '<=', '>', '>='] as const) {
      const value = op.startsWith('<') ? -5 : 50;
      const asked = { kind: 'compare', fieldId: 1, op, value } as const;
      expect(left({ lowerBounds: lower, upperBounds: upper }, asked)).toBe(true);
      expect(left({ lowerBounds: upper, upperBounds: lower }, asked)).toBe(false);
    }
  });

  it('keeps files whose upper bound is cut and not raised', () => {
    const upperBounds = bytesOf(2, 'aa');
    for (const [op, value, expected] of [
      ['=', 'aab', true],
      ['>', 'aab', true],
      ['>=', 'aab', true],
      ['=', 'ab', false],
      ['>', 'ab', false],
    ] as const) {
      expect(left({ upperBounds }, { kind: 'compare', fieldId: 2, op, value })).toBe(expected);
    }
  });

  it('keeps files whose counts contradict the record count or the bounds', () => {
    const counts = (values: bigint, nulls: bigint) => ({
      valueCounts: new Map([[1, values]]),
      nullCounts: new Map([[1, nulls]]),
    });
    expect(left(counts(10n, 10n), isOne)).toBe(false);
    expect(left(counts(4n, 4n), isOne)).toBe(true);
    expect(left({ ...counts(10n, 10n), lowerBounds: bytesOf(1, 0) }, isOne)).toBe(true);
    const isNull = { kind: 'is-null', fieldId: 1 } as const;
    expect(left(counts(10n, 0n), isNull)).toBe(false);
    expect(left(counts(4n, 0n), isNull)).toBe(true);
  });

  it('keeps files whose partition value has lost its upper bits', () => {
    const hour = 13; // spec 13 is hour(t)
    const ticks = (hours: bigint) => hours * 3_600_000_000n;
    const at = (hours: bigint, op: '=' | '<' | '>') =>
      ({ kind: 'compare', fieldId: 4, op, value: ticks(hours) }) as const;
    // 2,174,000,000 hours after 1970 are stored as -2,120,967,296
    const wrapped = { specId: hour, partition: [2_174_000_000 - 2 ** 32] };
    expect(left(wrapped, at(2_174_000_000n, '='))).toBe(true);
    expect(left(wrapped, at(0n, '>'))).toBe(true);
    expect(left(wrapped, at(0n, '='))).toBe(false);
    const plain = { specId: hour, partition: [100] };
    expect(left(plain, at(200n, '>'))).toBe(false);
    expect(left(plain, at(50n, '<'))).toBe(false);
    // spec 3 is truncate[4](i): -2^31 is stored as it is, as 4 divides it
    const least = { kind: 'compare', fieldId: 1, op: '<', value: 0 } as const;
    expect(left({ specId: 3, partition: [2 ** 31 - 1] }, least)).toBe(false);
  });

  it('keeps files that say nothing of the column', () => {
    const scan = { data: dataFile('f'), deletes: [] };
    for (const kind of ['is-null', 'not-null'] as const) {
      expect(pruneFiles([scan], { kind, fieldId: 1 }, metadata)).toEqual([scan]);
    }
    const asked = { kind: 'compare', fieldId: 99, op: '=', value: 1 } as const;
    expect(pruneFiles([scan], asked, metadata)).toEqual([scan]);
  });
});
