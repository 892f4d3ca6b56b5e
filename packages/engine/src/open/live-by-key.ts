import type { SegmentReader } from '../segment/segment-reader.ts';

/** A live document and its key. */
export interface LiveDocument {
  readonly segment: number;
  readonly reader: SegmentReader;
  readonly doc: number;
  readonly key: Uint8Array;
}

/** Bytes of orders that are retained between two pages. */
const ORDER_BYTES = 64 * 2 ** 20;

/** Documents of segments in key order, retained from page to page. */
export class KeyOrders {
  readonly #orders = new Map<SegmentReader, Int32Array>();
  #bytes = 0;

  /** The documents of a segment in key order. */
  of(reader: SegmentReader): Int32Array {
    const known = this.#orders.get(reader);
    if (known !== undefined) return known;
    const order = new Int32Array(reader.docs);
    for (let doc = 0; doc < reader.docs; doc++) order[reader.keys.rank(doc)] = doc;
    if (this.#bytes + order.byteLength > ORDER_BYTES) this.clear();
    this.#orders.set(reader, order);
    this.#bytes += order.byteLength;
    return order;
  }

  /** Forgets all orders: segments may have been closed. */
  clear(): void {
    this.#orders.clear();
    this.#bytes = 0;
  }
}

/** Live documents by key; `after`: only those whose keys come after this one. */
export function* liveByKey(
  segments: readonly SegmentReader[],
  after: Uint8Array | null,
  orders: KeyOrders,
): Generator<LiveDocument, undefined> {
  const runs = segments.map((reader, segment) => liveOf(reader, segment, after, orders));
  const heads = runs.map((run) => run.next());
  for (;;) {
    let least = -1;
    heads.forEach((head, i) => {
      if (head.done) return;
      const best = least < 0 ? null : heads[least];
      if (!best || best.done || Buffer.compare(head.value.key, best.value.key) < 0) least = i;
    });
    const head = heads[least];
    if (head === undefined || head.done) return;
    yield head.value;
    heads[least] = runs[least].next();
  }
}

function* liveOf(
  reader: SegmentReader,
  segment: number,
  after: Uint8Array | null,
  orders: KeyOrders,
): Generator<LiveDocument, undefined> {
  const order = orders.of(reader);
  const { keys } = reader;
  for (let rank = firstAfter(reader, order, after); rank < order.length; rank++) {
    const doc = order[rank];
    if (!reader.isDeleted(doc)) yield { segment, reader, doc, key: keys.key(doc) };
  }
}

/** The rank of the first key after this one. */
function firstAfter({ keys }: SegmentReader, order: Int32Array, after: Uint8Array | null): number {
  if (after === null) return 0;
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Buffer.compare(keys.key(order[middle]), after) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
