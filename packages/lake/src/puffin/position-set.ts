/**
 * Row ordinals of one data file, ascending and without repeats: what a deletion vector or position
 * deletes delete.
 */
export class PositionSet {
  readonly #positions: Int32Array;

  /** `positions` must be ascending and free of repeats; it is kept, not copied. */
  constructor(positions: Int32Array) {
    this.#positions = positions;
  }

  /** How many positions the set holds. */
  get size(): number {
    return this.#positions.length;
  }

  /** The positions, ascending. Do not write to it. */
  get positions(): Int32Array {
    return this.#positions;
  }

  /** Whether `position` is in the set (binary search). */
  has(position: number): boolean {
    const index = this.#lowerBound(position);
    return index < this.#positions.length && this.#positions[index] === position;
  }

  /** The positions in `from <= p < to`, ascending. Do not write to them. */
  between(from: number, to: number): Int32Array {
    return this.#positions.subarray(this.#lowerBound(from), this.#lowerBound(to));
  }

  /** The positions below `end`. */
  below(end: number): PositionSet {
    const count = this.#lowerBound(end);
    return count === this.size ? this : new PositionSet(this.#positions.subarray(0, count));
  }

  #lowerBound(position: number): number {
    let low = 0;
    let high = this.#positions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#positions[middle] < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The empty set. */
export const NO_POSITIONS = new PositionSet(new Int32Array(0));

/** A set of positions that come in any order, repeats allowed. */
export function positionSet(positions: Iterable<number>): PositionSet {
  return new PositionSet(sortedUnique(Int32Array.from(positions)));
}

/** The union of several sets. */
export function unionPositions(sets: readonly PositionSet[]): PositionSet {
  const filled = sets.filter((set) => set.size > 0);
  if (filled.length === 0) return NO_POSITIONS;
  if (filled.length === 1) return filled[0];
  const all = new Int32Array(filled.reduce((sum, set) => sum + set.size, 0));
  let at = 0;
  for (const set of filled) {
    all.set(set.positions, at);
    at += set.size;
  }
  return new PositionSet(sortedUnique(all));
}

function sortedUnique(positions: Int32Array): Int32Array {
  positions.sort();
  let kept = 0;
  for (let i = 0; i < positions.length; i++) {
    if (i === 0 || positions[i] !== positions[i - 1]) positions[kept++] = positions[i];
  }
  return positions.subarray(0, kept);
}
