/**
 * Count, sum and bounds of a numeric column over one segment. Integers are summed by their codes
 * (value = base + gcd x code), exactly: a running double is moved to a bigint before it can round.
 */
import { orderedFromDouble } from '../base/ordered-double.ts';
import type { NumericColumn } from '../columnar/numeric-column.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { addDouble, type DoubleSum } from './exact-sum.ts';
import { loopsOf } from './loops.ts';
import { type AggPartial, noStats } from './partial.ts';
import { collectInBatches, type SegmentCollector } from './segment-collector.ts';

/** Codes are below 2^32: so many of them stay below 2^53. */
const SUMMED = 1 << 20;

/** Collects a stats aggregation. */
export function statsCollector(reader: SegmentReader, field: FieldPlan): SegmentCollector {
  const column = reader.numeric(field.id);
  if (column === null || column.values === 0) return NOTHING;
  if (column.double) return new DoubleStats(column);
  return column.codes === null ? new WideStats(column) : new CodeStats(column, column.codes);
}

const NOTHING: SegmentCollector = {
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

interface CodeState {
  count: number;
  pending: number;
  sum: number;
  whole: bigint;
  min: number;
  max: number;
}

class CodeStats implements SegmentCollector {
  readonly #column: NumericColumn;
  readonly #codes: Uint8Array | Uint16Array | Uint32Array;
  readonly #states: (CodeState | undefined)[] = [];

  constructor(column: NumericColumn, codes: Uint8Array | Uint16Array | Uint32Array) {
    this.#column = column;
    this.#codes = codes;
  }

  collectAll(matches: Int32Array): void {
    if (this.#column.multi) {
      collectInBatches(matches, (docs, owners, count) => this.collect(docs, owners, count));
      return;
    }
    const { arena, present } = this.#column;
    const { sum, ...rest } = loopsOf(arena).sumCodes(this.#codes, matches, present);
    this.#states[0] = { pending: 0, sum: 0, whole: sum, ...rest };
  }

  collect(docs: Int32Array, owners: Int32Array, count: number): void {
    visitSlots(this.#column, docs, owners, count, (slot, owner) => {
      const code = this.#codes[slot];
      add(this.#states[owner] ?? this.#state(owner), code);
    });
  }

  partial(owner: number): AggPartial {
    const state = this.#states[owner];
    if (state === undefined || state.count === 0) return noStats();
    const { base, gcd } = this.#column;
    const { count, whole, sum, min, max } = state;
    const value = (code: number) => base + gcd * BigInt(code);
    const total = base * BigInt(count) + gcd * (whole + BigInt(sum));
    return { ...noStats(), count, whole: total, min: value(min), max: value(max) };
  }

  #state(owner: number): CodeState {
    const bounds = { min: Number.POSITIVE_INFINITY, max: -1 };
    const state = { count: 0, pending: 0, sum: 0, whole: 0n, ...bounds };
    this.#states[owner] = state;
    return state;
  }
}

function add(state: CodeState, code: number): void {
  if (++state.pending > SUMMED) {
    state.whole += BigInt(state.sum);
    state.sum = 0;
    state.pending = 1;
  }
  state.count++;
  state.sum += code;
  if (code < state.min) state.min = code;
  if (code > state.max) state.max = code;
}

interface WideState {
  count: number;
  whole: bigint;
  min: bigint;
  max: bigint;
}

class WideStats implements SegmentCollector {
  readonly #column: NumericColumn;
  readonly #states: (WideState | undefined)[] = [];

  constructor(column: NumericColumn) {
    this.#column = column;
  }

  collectAll(matches: Int32Array): void {
    const { arena, present, multi, wide } = this.#column;
    if (multi) {
      collectInBatches(matches, (docs, owners, count) => this.collect(docs, owners, count));
      return;
    }
    const { sum: whole, ...rest } = loopsOf(arena).sumWide(wide!, matches, present);
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

  partial(owner: number): AggPartial {
    return { ...noStats(), ...this.#states[owner] };
  }
}

interface DoubleState extends DoubleSum {
  count: number;
  min: number;
  max: number;
}

class DoubleStats implements SegmentCollector {
  readonly #column: NumericColumn;
  readonly #states: (DoubleState | undefined)[] = [];

  constructor(column: NumericColumn) {
    this.#column = column;
  }

  collectAll(matches: Int32Array): void {
    collectInBatches(matches, (docs, owners, count) => this.collect(docs, owners, count));
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

  partial(owner: number): AggPartial {
    const state = this.#states[owner];
    if (state === undefined) return noStats();
    const { count, sum, compensation } = state;
    const [min, max] = [orderedFromDouble(state.min), orderedFromDouble(state.max)];
    return { ...noStats(), count, min, max, double: { sum, compensation } };
  }
}
