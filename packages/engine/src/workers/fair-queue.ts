/** Items that wait, in turns of the shares that they belong to. */
export class FairQueue<T> {
  /** Items by share. The first share is the next one; no list is empty. */
  readonly #shares = new Map<string, T[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(share: string, item: T): void {
    const items = this.#shares.get(share);
    if (items === undefined) this.#shares.set(share, [item]);
    else items.push(item);
    this.#length++;
  }

  /** The item whose turn it is. */
  get next(): T | undefined {
    return this.#shares.values().next().value?.[0];
  }

  /** Takes the item whose turn it is; its share comes last now. */
  shift(): T | undefined {
    const [turn] = this.#shares;
    if (turn === undefined) return undefined;
    const [share, items] = turn;
    this.#shares.delete(share);
    const item = items.shift();
    if (items.length > 0) this.#shares.set(share, items);
    this.#length--;
    return item;
  }

  /** Removes an item that may wait. */
  remove(share: string, item: T): void {
    const items = this.#shares.get(share);
    const at = items?.indexOf(item) ?? -1;
    if (items === undefined || at < 0) return;
    items.splice(at, 1);
    if (items.length === 0) this.#shares.delete(share);
    this.#length--;
  }

  /** The newest item of the share with the most items, if that has more items than `share`. */
  newestOfLargest(share: string): T | undefined {
    const own = this.#shares.get(share)?.length ?? 0;
    let largest: readonly T[] = [];
    for (const items of this.#shares.values()) if (items.length > largest.length) largest = items;
    return largest.length > own + 1 ? largest.at(-1) : undefined;
  }

  /** Takes all items. */
  drain(): readonly T[] {
    const all = [...this.#shares.values()].flat();
    this.#shares.clear();
    this.#length = 0;
    return all;
  }
}
