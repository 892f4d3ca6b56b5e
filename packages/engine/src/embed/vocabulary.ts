/**
 * The vocabulary of a WordPiece tokenizer as a hash table over its own bytes: nothing is a string.
 * Pieces that begin a word and pieces that go on ("##" in the file) have keys of their own.
 */
import { modelUnavailable } from './model-unavailable.ts';

const LINE_FEED = 10;
const HASH = 35;
/** Seeds of the two kinds of piece. */
export const BEGINS = 0x811c9dc5 | 0;
export const GOES_ON = 0x2f0b4a27;

/** One step of the hash of a piece. */
export const hashStep = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193);

/** Open addressing: slot = finished hash & mask, then the next ones. */
export interface Vocabulary {
  readonly bytes: Uint8Array;
  /** Where the text of a token begins (behind "##") and ends, by id. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Token id + 1 by slot; 0: none. */
  readonly ids: Int32Array;
  /** Hash (not finished) of the slot's token. */
  readonly hashes: Int32Array;
  /** Longest piece, bytes. */
  readonly longest: number;
}

/**
 * Reads a vocabulary: one token a line. Throws model_unavailable where the file has not `size`
 * lines.
 */
export function readVocabulary(bytes: Uint8Array, size: number, path: string): Vocabulary {
  const starts = new Int32Array(size);
  const ends = new Int32Array(size);
  const slots = 2 ** Math.ceil(Math.log2(2 * size + 2));
  const ids = new Int32Array(slots);
  const hashes = new Int32Array(slots);
  const known = { bytes, starts, ends, ids, hashes };
  let id = 0;
  let longest = 0;
  for (let at = 0; at < bytes.length && id <= size; id++) {
    const inside = bytes[at] === HASH && bytes[at + 1] === HASH && !endsAt(bytes, at + 2);
    if (inside) at += 2;
    const from = at;
    let hash = inside ? GOES_ON : BEGINS;
    for (; !endsAt(bytes, at); at++) hash = hashStep(hash, bytes[at]);
    if (id < size) {
      starts[id] = from;
      ends[id] = at;
      longest = Math.max(longest, at - from);
      put(known, hash, id);
    }
    at++;
  }
  if (id !== size) {
    throw modelUnavailable({
      path,
      found: `has ${id > size ? 'more' : `${id} lines, fewer`} than the ${size} tokens of its model`,
      hint: 'put the whole model folder there again; lhs model check looks at it',
    });
  }
  return { ...known, longest };
}

const endsAt = (bytes: Uint8Array, at: number): boolean =>
  at >= bytes.length || bytes[at] === LINE_FEED;

/** The slot where a hash is looked for first. */
export const firstSlot = (hash: number, mask: number): number =>
  (hash ^ (hash >>> 15) ^ (hash >>> 7)) & mask;

/** Of two equal lines the later one counts. */
function put(known: Omit<Vocabulary, 'longest'>, hash: number, id: number): void {
  const { ids, hashes, bytes, starts, ends } = known;
  const mask = ids.length - 1;
  let slot = firstSlot(hash, mask);
  for (; ids[slot] !== 0; slot = (slot + 1) & mask) {
    const other = ids[slot] - 1;
    if (hashes[slot] !== hash || goesOn(known, other) !== goesOn(known, id)) continue;
    if (sameText(bytes, starts[other], ends[other], starts[id], ends[id])) break;
  }
  ids[slot] = id + 1;
  hashes[slot] = hash;
}

/** Whether a token is one that goes on: "##" stands before its text, else a line feed or nothing. */
export const goesOn = ({ bytes, starts }: Pick<Vocabulary, 'bytes' | 'starts'>, id: number) =>
  bytes[starts[id] - 1] === HASH;

function sameText(bytes: Uint8Array, a: number, aEnd: number, b: number, bEnd: number): boolean {
  if (aEnd - a !== bEnd - b) return false;
  for (let i = 0; i < aEnd - a; i++) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}
