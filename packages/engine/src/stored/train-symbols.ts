/**
 * Learns a symbol table from a sample of rows: in a few rounds the sample is split by the table of
 * the last round, and the symbols and pairs of symbols that cover most of it make the next table.
 */
import { byteOf, MOST_BYTES, type SymbolBytes, SymbolTable } from './symbol-table.ts';

const ROUNDS = 5;
/** Bytes of rows that are looked at. */
const SAMPLE_BYTES = 32 * 1024;

/** Rows one after another; row i is bytes[offsets[i] .. offsets[i + 1]). */
export interface Rows {
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
}

interface Candidate extends SymbolBytes {
  gain: number;
}

/** The symbols that suit rows. The same rows give the same table. */
export function trainSymbols(rows: Rows): SymbolTable {
  const sample = sampleOf(rows);
  let table = new SymbolTable([]);
  for (let round = 0; round < ROUNDS; round++) {
    const candidates = candidatesOf(rows, sample, table);
    candidates.sort((a, b) => b.gain - a.gain || a.low - b.low || a.high - b.high);
    table = new SymbolTable(candidates);
  }
  return table;
}

/** Numbers of rows, evenly spread. */
function sampleOf({ offsets }: Rows): readonly number[] {
  const rows = offsets.length - 1;
  const step = Math.max(1, Math.ceil((offsets[rows] - offsets[0]) / SAMPLE_BYTES));
  const numbers: number[] = [];
  for (let row = 0; row < rows; row += step) numbers.push(row);
  return numbers;
}

function candidatesOf(
  { bytes, offsets }: Rows,
  sample: readonly number[],
  table: SymbolTable,
): Candidate[] {
  const counts = new Counts();
  for (const row of sample) {
    let former: SymbolBytes | null = null;
    const to = offsets[row + 1];
    for (let at = offsets[row]; at < to; ) {
      const code = table.longest(bytes, at, to);
      const symbol = code < 0 ? SINGLES[bytes[at]] : table.symbols[code];
      counts.add(symbol.low, symbol.high, symbol.length);
      if (former !== null && former.length < MOST_BYTES) counts.addPair(former, symbol);
      former = symbol;
      at += symbol.length;
    }
  }
  return counts.all;
}

const SINGLES: readonly SymbolBytes[] = Array.from({ length: 256 }, (_, low) => ({
  low,
  high: 0,
  length: 1,
}));

/** Bytes of the sample that each symbol covers. */
class Counts {
  readonly all: Candidate[] = [];
  readonly #byBytes = new Map<number, Map<number, Candidate>>();

  /** Zeros may be bytes of a symbol: symbols that differ in length alone differ. */
  add(low: number, high: number, length: number): void {
    const name = high * 16 + length;
    let same = this.#byBytes.get(low);
    if (same === undefined) this.#byBytes.set(low, (same = new Map()));
    const known = same.get(name);
    if (known !== undefined) {
      known.gain += length;
      return;
    }
    const made = { low, high, length, gain: length };
    same.set(name, made);
    this.all.push(made);
  }

  addPair(first: SymbolBytes, second: SymbolBytes): void {
    const length = Math.min(MOST_BYTES, first.length + second.length);
    let { low, high } = first;
    for (let i = first.length; i < length; i++) {
      const byte = byteOf(second.low, second.high, i - first.length);
      if (i < 4) low |= byte << (8 * i);
      else high |= byte << (8 * (i - 4));
    }
    this.add(low, high, length);
  }
}
