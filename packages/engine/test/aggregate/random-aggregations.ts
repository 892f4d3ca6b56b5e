/** Random aggregations, nested up to a depth, over some fields; and equality of answers. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { doubleWire, type SqlColumn, type TestAgg } from './aggregation-sql.ts';

/** What random aggregations are made of. */
export interface RandomFields {
  readonly columns: Readonly<Record<string, SqlColumn>>;
  readonly terms: readonly string[];
  readonly numbers: readonly string[];
  /** The DATE field. */
  readonly date: string;
  readonly fixed: readonly (readonly [string, bigint])[];
  /** Fields and widths of histograms of numbers. */
  readonly widths: readonly (readonly [string, number])[];
  readonly units: readonly string[];
  readonly zones: readonly string[];
  /** Texts of bounds of ranges, rising; infinities as in JavaScript. */
  readonly bounds: Readonly<Record<string, readonly string[]>>;
  /** Values for `missing`, by field: in SQL and on the wire. */
  readonly missing: Readonly<Record<string, { readonly sql: string; readonly wire: unknown }>>;
  readonly filters: readonly { readonly query: string; readonly sql: string }[];
}

/** At most 2 aggregations of a level (3 at the top of three). */
export function randomAggs(from: RandomFields, depth: number): fc.Arbitrary<readonly TestAgg[]> {
  const subs = depth === 0 ? fc.constant<readonly TestAgg[]>([]) : randomAggs(from, depth - 1);
  const any = fc.constantFrom(...Object.keys(from.columns));
  const numbers = fc.constantFrom(...from.numbers);
  const percents = fc.constantFrom(0, 1, 25, 50, 75, 99, 100);
  const one: fc.Arbitrary<TestAgg> = fc.oneof(
    terms(from, subs),
    histograms(from, subs),
    ranges(from, subs),
    fc
      .record({ filter: fc.constantFrom(...from.filters), subs })
      .map(({ filter, subs: s }): TestAgg => ({ kind: 'filter', ...filter, subs: s })),
    fc.record({ kind: fc.constant('missing' as const), field: any, subs }),
    fc.record({ kind: fc.constant('stats' as const), field: numbers }),
    fc.record({
      kind: fc.constant('figure' as const),
      field: numbers,
      figure: fc.constantFrom('min' as const, 'max' as const, 'sum' as const, 'avg' as const),
    }),
    fc.record({ kind: fc.constant('cardinality' as const), field: any }),
    fc.record({
      kind: fc.constant('percentiles' as const),
      field: numbers,
      percents: fc.array(percents, { minLength: 1, maxLength: 4 }),
    }),
  );
  return fc.array(one, { minLength: 1, maxLength: depth === 2 ? 3 : 2 });
}

type Subs = fc.Arbitrary<readonly TestAgg[]>;

function terms(from: RandomFields, subs: Subs): fc.Arbitrary<TestAgg> {
  const order = fc.record({ by: fc.constantFrom('_count', '_key'), desc: fc.boolean() });
  return fc
    .record({
      field: fc.constantFrom(...from.terms),
      size: fc.constantFrom(1, 2, 3, 10, 100),
      order,
      fill: fc.boolean(),
      subs,
    })
    .map(({ fill, order: given, ...rest }): TestAgg => {
      const missing = fill ? from.missing[rest.field] : undefined;
      const by = given as { by: '_count' | '_key'; desc: boolean };
      return { kind: 'terms', ...rest, order: by, ...(missing === undefined ? {} : { missing }) };
    });
}

function histograms(from: RandomFields, subs: Subs): fc.Arbitrary<TestAgg> {
  const field = from.date;
  const fixed = fc
    .record({ interval: fc.constantFrom(...from.fixed), subs })
    .map(({ interval: [text, micros], subs: s }): TestAgg => {
      return { kind: 'fixed', field, text, micros, subs: s };
    });
  const calendar = fc
    .record({ unit: fc.constantFrom(...from.units), zone: fc.constantFrom(...from.zones), subs })
    .map((rest): TestAgg => ({ kind: 'calendar', field, ...rest }));
  const numbers = fc
    .record({ width: fc.constantFrom(...from.widths), subs })
    .map(({ width: [name, width], subs: s }): TestAgg => {
      return { kind: 'numbers', field: name, width, subs: s };
    });
  return fc.oneof(fixed, calendar, numbers);
}

function ranges(from: RandomFields, subs: Subs): fc.Arbitrary<TestAgg> {
  const pick = fc.tuple(fc.nat(4), fc.nat(4));
  return fc
    .record({
      field: fc.constantFrom(...from.numbers),
      picks: fc.array(pick, { minLength: 1, maxLength: 4 }),
      subs,
    })
    .map(({ field, picks, subs: s }): TestAgg => {
      const bounds = from.bounds[field];
      const found = picks.map(([a, b]) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        return {
          ...(low < bounds.length && a !== 4 ? { from: boundOf(from, field, bounds[low]) } : {}),
          ...(high < bounds.length ? { to: boundOf(from, field, bounds[high]) } : {}),
        };
      });
      return { kind: 'range', field, ranges: found, subs: s };
    });
}

function boundOf({ columns }: RandomFields, field: string, text: string) {
  const { type, wire } = columns[field];
  if (type !== 'DOUBLE') return { sql: `'${text}'::bigint`, wire: wire(text) };
  return { sql: `'${text}'::double`, wire: doubleWire(text) };
}

/**
 * Equal, doubles to 1e-9, estimates between `low` and `high`; many distinct values: see `about`.
 */
export function expectEqual(found: unknown, wanted: unknown, path: string): void {
  if (typeof wanted === 'number' && typeof found === 'number') {
    const close = Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted));
    if (!close) expect.fail(`${path}: ${found}, DuckDB has ${wanted}`);
  } else if (typeof wanted === 'object' && wanted !== null && 'about' in wanted) {
    const { value, exact } = found as { value: number; exact: boolean };
    if (exact) expect(value, path).toBe(Number(wanted.about));
    // Four standard errors.
    else expect(Math.abs(value / Number(wanted.about) - 1), path).toBeLessThan(0.033);
  } else if (typeof wanted === 'object' && wanted !== null && 'low' in wanted) {
    const { percent, low, high } = wanted as { percent: number; low: number; high: number };
    const { value } = found as { value: number };
    expect(found, path).toHaveProperty('percent', percent);
    if (!(low <= value && value <= high))
      expect.fail(`${path}: ${value} is not in ${low} .. ${high}`);
  } else if (typeof wanted === 'object' && wanted !== null) {
    expect(Object.keys(found as object).sort(), path).toEqual(Object.keys(wanted).sort());
    for (const [key, value] of Object.entries(wanted)) {
      expectEqual((found as Record<string, unknown>)[key], value, `${path}.${key}`);
    }
  } else expect(found, path).toBe(wanted);
}
