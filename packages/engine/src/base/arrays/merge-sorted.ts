/** A place in a list of keys that rise strictly. Begins before the first key. */
export interface SortedCursor<Self> {
  /** Moves to the next key; false at the end. */
  next(): boolean;
  /** Order of the current keys: negative when this one comes first. */
  compare(other: Self): number;
}

/**
 * Visits every key of some sorted lists once, in order, with the cursors that are at it: these are
 * `equal[0 .. count)`, only valid during the call. Stops when `visit` returns false. Needs memory
 * for the cursors alone.
 */
export function mergeSorted<Cursor extends SortedCursor<Cursor>>(
  cursors: readonly Cursor[],
  visit: (equal: readonly Cursor[], count: number) => boolean,
): void {
  const heap: Cursor[] = [];
  for (const cursor of cursors) if (cursor.next()) push(heap, cursor);
  const equal: Cursor[] = [];
  while (heap.length > 0) {
    let count = 0;
    do equal[count++] = pop(heap);
    while (heap.length > 0 && heap[0].compare(equal[0]) === 0);
    if (!visit(equal, count)) return;
    for (let i = 0; i < count; i++) if (equal[i].next()) push(heap, equal[i]);
  }
}

function push<Cursor extends SortedCursor<Cursor>>(heap: Cursor[], cursor: Cursor): void {
  let at = heap.length;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent].compare(cursor) <= 0) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = cursor;
}

function pop<Cursor extends SortedCursor<Cursor>>(heap: Cursor[]): Cursor {
  const first = heap[0];
  const last = heap.pop()!;
  if (heap.length === 0) return first;
  let at = 0;
  for (let child = 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && heap[child + 1].compare(heap[child]) < 0) child++;
    if (last.compare(heap[child]) <= 0) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return first;
}
