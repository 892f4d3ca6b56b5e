import { selectFirst } from '../base/arrays/select-first.ts';

/**
 * Moves the first `count` of places[0 .. size) to the front, the last of them to place count - 1:
 * those of the highest scores; `before` decides between equal scores alone, because it may read
 * keys. 0 < count <= size; `scores` are by place.
 */
export function selectBest(
  places: Int32Array,
  size: number,
  count: number,
  scores: readonly number[],
  before: (a: number, b: number) => boolean,
): void {
  const own = new Float64Array(size);
  for (let i = 0; i < size; i++) own[i] = scores[places[i]];
  const last = nthHighest(own, count);
  let above = 0;
  let tied = 0;
  for (let i = 0; i < size; i++) {
    if (own[i] > last) above++;
    else if (own[i] === last) tied++;
  }
  const from = places.slice(0, size);
  let [high, equal, low] = [0, above, above + tied];
  for (let i = 0; i < size; i++) {
    const score = scores[from[i]];
    if (score > last) places[high++] = from[i];
    else if (score === last) places[equal++] = from[i];
    else places[low++] = from[i];
  }
  selectFirst(places.subarray(above, above + tied), tied, count - above, before);
}

/** The `count`th highest of some numbers, whose order it changes. */
function nthHighest(numbers: Float64Array, count: number): number {
  const target = count - 1;
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const pivot = middleOf(numbers[low], numbers[(low + high) >> 1], numbers[high]);
    let i = low;
    let j = high;
    while (i <= j) {
      while (numbers[i] > pivot) i++;
      while (numbers[j] < pivot) j--;
      if (i > j) break;
      const number = numbers[i];
      numbers[i++] = numbers[j];
      numbers[j--] = number;
    }
    if (target <= j) high = j;
    else if (target >= i) low = i;
    else break;
  }
  return numbers[target];
}

const middleOf = (a: number, b: number, c: number): number =>
  Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
