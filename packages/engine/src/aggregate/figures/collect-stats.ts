/**
 * Count, sum and bounds of a numeric column over one segment. Integers are summed by their codes
 * (value = base + gcd x code), exactly: a running double is moved to a bigint before it can round.
 */
import { doubleFromOrdered, orderedFromDouble } from '../../base/arrays/ordered-double.ts';
import type { NumericColumn } from '../../columnar/numeric-column.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { BATCH_DOCS, type WholeStream } from '../document-stream.ts';
import { type Codes, takeCodes } from '../loops/code-loops.ts';
import { loopsOf } from '../loops/compiled-loops.ts';
import { addDouble, addTimes, type DoubleSum } from '../loops/exact-sum.ts';
import type { MetricCollector } from '../segment-collector.ts';
import { noStats, type StatsPartial } from './stats-partial.ts';

/** Codes are below 2^32: so many of them stay below 2^53. */
const SUMMED = (1 << 20) - 1;

/** Collects a stats aggregation. */
export function statsCollector(
  reader: SegmentReader,
  field: FieldPlan,
): MetricCollector<StatsPartial> {
  const column = reader.numeric(field.id);
  if (column === null || column.values === 0) return NOTHING;
  if (column.double) return new DoubleStats(column);
  return column.codes === null ? new WideStats(column) : new CodeStats(column, column.codes);
}

const NOTHING: MetricCollector<StatsPartial> = {
  collect: () => undefined,
  collectAll: () => undefined,
  partial: noStats,
};

/** Calls `visit` with every value's slot and its owner. */
function visitSlots(
  { present, starts }: NumericColumn,
  docs: Int32Array,
  owners: Int32Array,
  count: number,
  visit: (slot: number, owner: number) => void,
): void {
  for (let i = 0; i < count; i++) {
    const doc = docs[i];
    if ((present[doc >> 5] & (1 << (doc & 31))) === 0) continue;
    if (starts === null) visit(doc, owners[i]);
    else for (let slot = starts[doc]; slot < starts[doc + 1]; slot++) visit(slot, owners[i]);
  }
}

/** Sums of codes by owner, side by side in arrays. */
class CodeStats implements MetricCollector<StatsPartial> {
  readonly #column: NumericColumn;
  readonly #codes: Codes;
  readonly #taken = new Float64Array(BATCH_DOCS);
  #counts = new Int32Array(64);
  /** Of the codes since `whole` was last added to. */
  #sums = new Float64Array(64);
  #least = new Float64Array(64).fill(Number.POSITIVE_INFINITY);
  #most = new Float64Array(64).fill(-1);
  /** What was moved out of `sums` before it could round. */
  readonly #whole = new Map<number, bigint>();

  constructor(column: NumericColumn, codes: Codes) {
    this.#column = column;
    this.#codes = codes;
  }

  collectAll(documents: WholeStream): void {
    if (this.#column.multi) {
      documents.read((docs, owners, count) => this.collect(docs, owners, count));
      return;
    }
    const { arena, present } = this.#column;
    const { count, sum, min, max } = loopsOf(arena).sumCodes(
      this.#codes,
      documents.matches,
      present,
    );
    this.#counts[0] = count;
    this.#whole.set(0, sum);
    this.#least[0] = min;
    this.#most[0] = max;
  }

  collect(docs: Int32Array, owners: Int32Array, count: number): void {
    const { present, starts } = this.#column;
    if (starts !== null) {
      this.#addSlots(docs, owners, count);
      return;
    }
    const taken = this.#taken;
    takeCodes(this.#codes, docs, count, taken);
    this.#reserve(owners, count);
    const [counts, sums, least, most] = [this.#counts, this.#sums, this.#least, this.#most];
    for (let i = 0; i < count; i++) {
      const doc = docs[i];
      if ((present[doc >> 5] & (1 << (doc & 31))) === 0) continue;
      const owner = owners[i];
      const code = taken[i];
      sums[owner] += code;
      if (code < least[owner]) least[owner] = code;
      if (code > most[owner]) most[owner] = code;
      if ((++counts[owner] & SUMMED) === 0) this.#carry(owner);
    }
  }

  #addSlots(docs: Int32Array, owners: Int32Array, count: number): void {
    this.#reserve(owners, count);
    visitSlots(this.#column, docs, owners, count, (slot, owner) => {
      const code = this.#codes[slot];
      this.#sums[owner] += code;
      if (code < this.#least[owner]) this.#least[owner] = code;
      if (code > this.#most[owner]) this.#most[owner] = code;
      if ((++this.#counts[owner] & SUMMED) === 0) this.#carry(owner);
    });
  }

  /** Moves a sum of at most 2^20 codes to the bigints. */
  #carry(owner: number): bigint {
    const whole = (this.#whole.get(owner) ?? 0n) + BigInt(this.#sums[owner]);
    this.#whole.set(owner, whole);
    this.#sums[owner] = 0;
    return whole;
  }

  /** Makes room for the owners of a batch. */
  #reserve(owners: Int32Array, count: number): void {
    let highest = 0;
    for (let i = 0; i < count; i++) if (owners[i] > highest) highest = owners[i];
    if (highest < this.#counts.length) return;
    const size = 2 ** Math.ceil(Math.log2(highest + 1));
    const larger = <A extends Int32Array | Float64Array>(made: A, former: A): A => {
      made.set(former);
      return made;
    };
    this.#counts = larger(new Int32Array(size), this.#counts);
    this.#sums = larger(new Float64Array(size), this.#sums);
    this.#least = larger(new Float64Array(size).fill(Number.POSITIVE_INFINITY), this.#least);
    this.#most = larger(new Float64Array(size).fill(-1), this.#most);
  }

  partial(owner: number): StatsPartial {
    const count = this.#counts[owner] ?? 0;
    if (count === 0) return noStats();
    const { base, gcd } = this.#column;
    const value = (code: number) => base + gcd * BigInt(code);
    const whole = base * BigInt(count) + gcd * this.#carry(owner);
    const [min, max] = [value(this.#least[owner]), value(this.#most[owner])];
    return { ...noStats(), count, whole, min, max };
  }
}

interface WideState {
  count: number;
  whole: bigint;
  min: bigint;
  max: bigint;
}

class WideStats implements MetricCollector<StatsPartial> {
  readonly #column: NumericColumn;
  readonly #states: (WideState | undefined)[] = [];

  constructor(column: NumericColumn) {
    this.#column = column;
  }

  collectAll(documents: WholeStream): void {
    const { arena, present, multi, wide } = this.#column;
    if (multi) {
      documents.read((docs, owners, count) => this.collect(docs, owners, count));
      return;
    }
    const { sum: whole, ...rest } = loopsOf(arena).sumWide(wide!, documents.matches, present);
    if (rest.count > 0) this.#states[0] = { whole, ...rest };
  }

  collect(docs: Int32Array, owners: Int32Array, count: number): void {
    const wide = this.#column.wide!;
    visitSlots(this.#column, docs, owners, count, (slot, owner) => {
      const value = wide[slot];
      const state = (this.#states[owner] ??= { count: 0, whole: 0n, min: value, max: value });
      state.count++;
      state.whole += value;
      if (value < state.min) state.min = value;
      if (value > state.max) state.max = value;
    });
  }

  partial(owner: number): StatsPartial {
    return { ...noStats(), ...this.#states[owner] };
  }
}

interface DoubleState extends DoubleSum {
  count: number;
  min: number;
  max: number;
}

class DoubleStats implements MetricCollector<StatsPartial> {
  readonly #column: NumericColumn;
  readonly #states: (DoubleState | undefined)[] = [];

  constructor(column: NumericColumn) {
    this.#column = column;
  }

  collectAll(documents: WholeStream): void {
    const { multi, width, wide, arena, present } = this.#column;
    if (multi || width === 4) {
      documents.read((docs, owners, count) => this.collect(docs, owners, count));
    } else if (wide === null) this.#collectCounted(documents.matches);
    else {
      const { count, sum, min, max } = loopsOf(arena).sumDoubles(wide, documents.matches, present);
      const bounds = { min: doubleFromOrdered(min), max: doubleFromOrdered(max) };
      if (count > 0) this.#states[0] = { count, ...sum, ...bounds };
    }
  }

  /** Few different values: each is added as often as it stands there. */
  #collectCounted(matches: Int32Array): void {
    const { arena, codes, present, base, gcd, max } = this.#column;
    const size = Number((max - base) / gcd) + 1;
    const counts = loopsOf(arena).countCodes(codes!, matches, present, size);
    for (let code = 0; code < size; code++) {
      if (counts[code] === 0) continue;
      const value = doubleFromOrdered(base + gcd * BigInt(code));
      const nothing = { count: 0, sum: 0, compensation: 0, min: value, max: value };
      const state = (this.#states[0] ??= nothing);
      state.count += counts[code];
      state.max = value;
      addTimes(state, value, counts[code]);
    }
  }

  collect(docs: Int32Array, owners: Int32Array, count: number): void {
    visitSlots(this.#column, docs, owners, count, (slot, owner) => {
      const value = this.#column.numberAt(slot);
      const nothing = { count: 0, sum: 0, compensation: 0, min: value, max: value };
      const state = (this.#states[owner] ??= nothing);
      state.count++;
      addDouble(state, value);
      // NaN is the greatest value, as everywhere in a column.
      if (value < state.min || Number.isNaN(state.min)) state.min = value;
      if (value > state.max || Number.isNaN(value)) state.max = value;
    });
  }

  partial(owner: number): StatsPartial {
    const state = this.#states[owner];
    if (state === undefined) return noStats();
    const { count, sum, compensation } = state;
    const [min, max] = [orderedFromDouble(state.min), orderedFromDouble(state.max)];
    return { ...noStats(), count, min, max, double: { sum, compensation } };
  }
}
