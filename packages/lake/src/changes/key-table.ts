import { LakeError } from '../base/errors.ts';
import { LANES } from './row-hash.ts';

/**
 * What is known of a key: it was there before; it is new; it stayed, with the same or another row.
 */
export const KEY_STATE = Object.freeze({ before: 0, inserted: 1, updated: 2, same: 3 });

const GROUPS_START = 1024;
/** Entries are numbered with 32-bit integers in a table at most half full. */
const MAX_ENTRIES = 2 ** 29;

/**
 * Keys of changed rows by their 128-bit hash: open addressing with linear probing over typed
 * arrays. An entry takes 37 bytes (key hash 16, row hash 8, file 4, position 4, state 1, and its
 * share of the slots 8 to 16).
 */
export class KeyTable {
  #slots = new Int32Array(GROUPS_START * 2);
  #keys = new Int32Array(GROUPS_START * LANES);
  #rows = new Int32Array(GROUPS_START * 2);
  #files = new Int32Array(GROUPS_START);
  #positions = new Int32Array(GROUPS_START);
  #states = new Uint8Array(GROUPS_START);
  #size = 0;

  /** How many keys the table holds. Entries are 0 to size - 1, in the order of their arrival. */
  get size(): number {
    return this.#size;
  }

  /** The entry of the key whose hash is at `hashes[4 * row]`, or -1. */
  find(hashes: Int32Array, row: number): number {
    return this.#slots[this.#slotOf(hashes, row * LANES)] - 1;
  }

  /**
   * Adds a key that is not there yet; returns its entry. `rowHashes` are rows of `LANES` words,
   * two of which are kept.
   */
  add(
    hashes: Int32Array,
    row: number,
    rowHashes: Int32Array,
    place: { readonly file: number; readonly position: number; readonly state: number },
  ): number {
    const entry = this.#size;
    if (entry === this.#files.length) this.#grow();
    this.#slots[this.#slotOf(hashes, row * LANES)] = entry + 1;
    for (let i = 0; i < LANES; i++) this.#keys[entry * LANES + i] = hashes[row * LANES + i];
    this.#rows[2 * entry] = rowHashes[row * LANES];
    this.#rows[2 * entry + 1] = rowHashes[row * LANES + 1];
    this.#files[entry] = place.file;
    this.#positions[entry] = place.position;
    this.#states[entry] = place.state;
    this.#size = entry + 1;
    return entry;
  }

  /** Whether the entry's row hash is that at `rowHashes[4 * row]`. */
  sameRow(entry: number, rowHashes: Int32Array, row: number): boolean {
    return (
      this.#rows[2 * entry] === rowHashes[row * LANES] &&
      this.#rows[2 * entry + 1] === rowHashes[row * LANES + 1]
    );
  }

  /** Where the entry's row was first met: the number of its file and its position there. */
  place(entry: number): { readonly file: number; readonly position: number } {
    return { file: this.#files[entry], position: this.#positions[entry] };
  }

  /** One of `KEY_STATE`. */
  state(entry: number): number {
    return this.#states[entry];
  }

  /** Sets the entry's state and the current location of its row. */
  settle(entry: number, state: number, file: number, position: number): void {
    this.#states[entry] = state;
    this.#files[entry] = file;
    this.#positions[entry] = position;
  }

  #slotOf(hashes: Int32Array, at: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashes[at] & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#equal((this.#slots[slot] - 1) * LANES, hashes, at)) break;
    }
    return slot;
  }

  #equal(entryAt: number, hashes: Int32Array, at: number): boolean {
    for (let i = 0; i < LANES; i++) if (this.#keys[entryAt + i] !== hashes[at + i]) return false;
    return true;
  }

  #grow(): void {
    const capacity = this.#files.length * 2;
    if (capacity > MAX_ENTRIES) {
      throw new LakeError(
        'limit_exceeded',
        `more than ${MAX_ENTRIES} keys changed between the two snapshots; take smaller steps`,
      );
    }
    const wider = (from: Int32Array, words: number) => {
      const to = new Int32Array(capacity * words);
      to.set(from);
      return to;
    };
    this.#keys = wider(this.#keys, LANES);
    this.#rows = wider(this.#rows, 2);
    this.#files = wider(this.#files, 1);
    this.#positions = wider(this.#positions, 1);
    const states = new Uint8Array(capacity);
    states.set(this.#states);
    this.#states = states;
    this.#slots = new Int32Array(capacity * 2);
    for (let entry = 0; entry < this.#size; entry++) {
      this.#slots[this.#slotOf(this.#keys, entry * LANES)] = entry + 1;
    }
  }
}
