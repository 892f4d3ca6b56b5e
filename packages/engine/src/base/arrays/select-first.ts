/**
 * Moves the first `count` of items[0 .. size) in an order to the front, the last of them to place
 * count - 1; the others in any order. 0 < count <= size; `before` is strict.
 */
export function selectFirst(
  items: Int32Array,
  size: number,
  count: number,
  before: (a: number, b: number) => boolean,
): void {
  const target = count - 1;
  let low = 0;
  let high = size - 1;
  while (low < high) {
    const pivot = medianOf(items[low], items[(low + high) >> 1], items[high], before);
    let i = low;
    let j = high;
    while (i <= j) {
      while (before(items[i], pivot)) i++;
      while (before(pivot, items[j])) j--;
      if (i > j) break;
      const item = items[i];
      items[i++] = items[j];
      items[j--] = item;
    }
    if (target <= j) high = j;
    else if (target >= i) low = i;
    else return;
  }
}

function medianOf(
  a: number,
  b: number,
  c: number,
  before: (a: number, b: number) => boolean,
): number {
  if (before(a, b)) {
    if (before(b, c)) return b;
    return before(a, c) ? c : a;
  }
  if (before(a, c)) return a;
  return before(b, c) ? c : b;
}
