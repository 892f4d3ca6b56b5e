/**
 * The vocabulary of a WordPiece tokenizer as a hash table over its own bytes, in an arena: nothing
 * is a string. Pieces that begin a word and pieces that go on ("##" in the file) have keys of their
 * own. In the arena, words of 4 bytes:
 *
 *   starts[size] ends[size] ids[slots] hashes[slots] beginnings[PREFIX_BITS / 32] text
 */
import type { Arena, Region } from '../../storage/directory.ts';
import { COPY_AGAIN, modelUnavailable } from '../model-faults.ts';
import type { EmbedKernels } from './kernels.ts';
import { firstSlot } from './piece-hash.ts';

const HASH = 35;
const PREFIX_BITS = 1 << 20;

/** Open addressing: firstSlot(hash), then the next ones. */
export interface Vocabulary {
  /** The file's text. */
  readonly bytes: Uint8Array;
  /** Where the text of a token begins (behind "##") and ends, by id. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Token id + 1 by slot; 0: none. */
  readonly ids: Int32Array;
  /** Hash of the slot's token. */
  readonly hashes: Int32Array;
  /**
   * A bit for the hash of each beginning of each token: where it is not set, no token goes on so.
   * Set bits may be another's: 8 in 100.
   */
  readonly beginnings: Int32Array;
  readonly region: Region;
}

/**
 * Puts a vocabulary, one token a line, into an arena. Of two equal lines the later one counts.
 * Throws model_unavailable where the file has not `size` lines.
 */
export function readVocabulary(
  file: { readonly path: string; readonly text: Uint8Array },
  size: number,
  arena: Arena,
  kernels: EmbedKernels,
): Vocabulary {
  const { path, text } = file;
  const vocabulary = place(text, size, arena);
  const { starts, ends, ids, hashes, beginnings, bytes, region } = vocabulary;
  const from = bytes.byteOffset;
  const lines = kernels.index(
    from,
    from + bytes.length,
    size,
    starts.byteOffset,
    ends.byteOffset,
    ids.byteOffset,
    hashes.byteOffset,
    ids.length - 1,
    beginnings.byteOffset,
    PREFIX_BITS - 1,
  );
  if (lines === size) return vocabulary;
  region.release();
  const found =
    `has ${lines > size ? 'more' : `${lines} lines, fewer`} than the ${size} tokens of its ` +
    'model';
  throw modelUnavailable({ path, found, hint: COPY_AGAIN });
}

function place(text: Uint8Array, size: number, arena: Arena): Vocabulary {
  const slots = 2 ** Math.ceil(Math.log2(2 * size + 2));
  const words = 2 * (size + slots) + PREFIX_BITS / 32;
  const region = arena.allocate(4 * words + text.length);
  let at = region.offset;
  const take = (length: number) => {
    const view = new Int32Array(arena.memory.buffer, at, length);
    at += 4 * length;
    return view;
  };
  const starts = take(size);
  const ends = take(size);
  const ids = take(slots);
  const hashes = take(slots);
  const beginnings = take(PREFIX_BITS / 32);
  const bytes = new Uint8Array(arena.memory.buffer, at, text.length);
  bytes.set(text);
  return { bytes, starts, ends, ids, hashes, beginnings, region };
}

/** Whether a token may begin with what has this hash. */
export const begins = ({ beginnings }: Vocabulary, hash: number): boolean => {
  const bit = firstSlot(hash, PREFIX_BITS - 1);
  return ((beginnings[bit >> 5] >>> bit) & 1) === 1;
};

/**
 * Whether a token is one that goes on: "##" stands before its text, else a line feed or nothing.
 */
export const goesOn = ({ bytes, starts }: Vocabulary, id: number): boolean =>
  bytes[starts[id] - 1] === HASH;
