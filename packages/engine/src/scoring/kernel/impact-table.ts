import { codeWidth, LONG } from '../../inverted/format.ts';
import { onceAnArena } from '../../storage/arena-code.ts';
import type { Arena } from '../../storage/directory.ts';
import { normsFor } from '../field-statistics.ts';
import { TABLE_AT, WIDTHS_AT } from './kernel-memory.ts';

/** Frequencies with exact impacts in the table; row ROWS bounds all above. */
export const ROWS = 32;
/** Tables cached for the average lengths of the last fields. */
const CACHED_TABLES = 8;

/**
 * The table of impacts that the kernels of an arena read: tf / (tf + norm) at [tf << 8 | length
 * code]; row ROWS is 1. There is one per arena, so a search chooses its average length anew for
 * each segment.
 */
export class ImpactTable {
  readonly impact: Float64Array;
  /** Norms by length code; lower bounds from LONG on. */
  norms: Float64Array = new Float64Array(256);
  #averageLength = -1;
  readonly #tables = new Map<number, Float64Array>();

  constructor(arena: Arena) {
    this.impact = arena.f64.subarray(TABLE_AT >> 3, (TABLE_AT >> 3) + (ROWS + 1) * 256);
    for (let code = 0; code < 256; code++) arena.u8[WIDTHS_AT + code] = codeWidth(code);
  }

  /** Puts the impacts by an average length into the table. */
  use(averageLength: number): void {
    if (averageLength === this.#averageLength) return;
    this.#averageLength = averageLength;
    this.norms = normsFor(averageLength);
    let table = this.#tables.get(averageLength);
    if (table === undefined) {
      table = impactTable(this.norms);
      if (this.#tables.size >= CACHED_TABLES) this.#tables.clear();
      this.#tables.set(averageLength, table);
    }
    this.impact.set(table);
  }
}

function impactTable(norms: Float64Array): Float64Array {
  const table = new Float64Array((ROWS + 1) * 256);
  for (let tf = 0; tf < ROWS; tf++) {
    for (let code = 0; code < 256; code++) table[(tf << 8) | code] = tf / (tf + norms[code]);
  }
  return table.fill(1, ROWS * 256);
}

/** True when a frequency and a length code have their exact impact in the table. */
export const inTable = (tf: number, code: number): boolean => tf < ROWS && code < LONG;

/** The table of an arena. */
export const impactTableOf = onceAnArena((arena) => new ImpactTable(arena));
