/**
 *   texts(state, from, count, offsets, bytes, sums): the sums of rows of ASCII texts i = from ..
 *   count - 1, text i = bytes[offsets[i] .. offsets[i + 1]), into row i of `sums`; word pieces as in
 *   embed/static/word-pieces.ts. Returns the first text that is not ASCII, whose row is zero, or
 *   count. `state` are words, see STATE; up to 15 bytes behind a text are read
 */
import { BEGINS, GOES_ON, PRIME } from '../../packages/engine/src/embed/static/piece-hash.ts';
import { KINDS, MOST_IDS, STATE } from '../../packages/engine/src/embed/static/text-state.ts';
import { compile } from '../kernels/language.ts';

const get = (name: keyof typeof STATE): string => `i32[state + ${STATE[name]}]`;
const falls = (mask: string): string => `((hash ^ (hash >> 15) ^ (hash >> 7)) & ${mask})`;
const step = (byte: string): string => `(hash ^ ${byte}) * ${PRIME}`;

const i32 = { params: ['i32', 'i32', 'i32', 'i32', 'i32', 'i32'], result: '' } as const;

/** The text of the kernels; `sum` is called. */
export const pieces = compile(
  `
  fn flush(i32 state) {
    sum(${get('found')}, ${get('count')}, ${get('rows')}, ${get('scales')}, ${get('row')},
      ${get('dims')});
    ${get('count')} = 0;
  }

  fn emit(i32 state, i32 id) {
    if (${get('count')} == ${MOST_IDS}) { flush(state); }
    i32 n = ${get('count')};
    i32[${get('found')} + (n << 2)] = id;
    ${get('count')} = n + 1;
  }

  // The id of a piece, or -1. A slot without an id has hash 0.
  fn find(i32 state, i32 hash, i32 at, i32 length, i32 inside) -> i32 {
    i32 mask = ${get('mask')}, ids = ${get('ids')}, hashes = ${get('hashes')};
    i32 slot = ${falls('mask')}, known, id, start, k;
    while (1) {
      known = i32[hashes + (slot << 2)];
      if (known == hash) {
        id = i32[ids + (slot << 2)] - 1;
        if (id < 0) { return -1; }
        start = i32[${get('starts')} + (id << 2)];
        if (i32[${get('ends')} + (id << 2)] - start == length) {
          k = 0;
          if (start > 0) { k = u8[${get('text')} + start - 1] == 35; }
          if (k == inside) {
            start += ${get('text')};
            k = 0;
            while (k < length) {
              if (u8[start + k] != u8[at + k]) { break; }
              k += 1;
            }
            if (k == length) { return id; }
          }
        }
      } else if (known == 0) {
        if (i32[ids + (slot << 2)] == 0) { return -1; }
      }
      slot = (slot + 1) & mask;
    }
  }

  // Bytes with which a piece may begin at a place of the word; notes the hash of each beginning.
  fn reach(i32 state, i32 from, i32 length) -> i32 {
    i32 hash = select(from == 0, ${BEGINS}, ${GOES_ON}), n = 0, bit;
    i32 at = ${get('word')} + from, inner = ${get('inner')}, beginnings = ${get('beginnings')};
    while (from + n < length) {
      hash = ${step('u8[at + n]')};
      bit = ${falls(get('bits'))};
      if (((i32[beginnings + ((bit >> 5) << 2)] >> (bit & 31)) & 1) == 0) { break; }
      i32[inner + (n << 2)] = hash;
      n += 1;
    }
    return n;
  }

  // The pieces of a word that is none itself; one unknown where a part of it has no match.
  fn split(i32 state, i32 length) {
    i32 from = 0, n = 0, id, piece, parts = ${get('parts')};
    while (from < length) {
      piece = reach(state, from, length);
      id = -1;
      while (piece > 0) {
        id = find(state, i32[${get('inner')} + ((piece - 1) << 2)], ${get('word')} + from, piece,
          from > 0);
        if (id >= 0) { break; }
        piece -= 1;
      }
      if (id < 0) { emit(state, ${get('unknown')}); return; }
      i32[parts + (n << 2)] = id;
      n += 1;
      from += piece;
    }
    id = 0;
    while (id < n) { emit(state, i32[parts + (id << 2)]); id += 1; }
  }

  fn word(i32 state, i32 length, i32 chars, i32 hash) {
    i32 id = ${get('unknown')};
    if (chars <= ${get('most')}) { id = find(state, hash, ${get('word')}, length, 0); }
    if (id >= 0) { emit(state, id); return; }
    split(state, length);
  }

  fn isAscii(i32 at, i32 end) -> i32 {
    while (at + 16 <= end) {
      if (i8x16.bitmask(v128[at])) { return 0; }
      at += 16;
    }
    return (i8x16.bitmask(v128[at]) & ((1 << (end - at)) - 1)) == 0;
  }

  fn read(i32 state, i32 at, i32 end) {
    i32 kinds = ${get('kinds')}, letters = ${get('word')}, most = ${get('most')};
    i32 length = 0, chars = 0, hash = ${BEGINS}, kind, id;
    while (at < end) {
      kind = u8[kinds + u8[at]];
      if (kind > ${KINDS.other}) {
        if (chars < most) {
          hash = ${step('kind')};
          u8[letters + length] = kind;
          length += 1;
        }
        chars += 1;
      } else if (kind != ${KINDS.dropped}) {
        if (length > 0) {
          word(state, length, chars, hash);
          length = 0;
          chars = 0;
          hash = ${BEGINS};
        }
        if (kind == ${KINDS.mark}) {
          id = find(state, (${BEGINS} ^ u8[at]) * ${PRIME}, at, 1, 0);
          emit(state, select(id < 0, ${get('unknown')}, id));
        }
      }
      at += 1;
    }
    if (length > 0) { word(state, length, chars, hash); }
  }

  export fn texts(i32 state, i32 from, i32 count, i32 offsets, i32 bytes, i32 sums) -> i32 {
    i32 at, end, size = ${get('dims')} << 2, row = sums + from * (${get('dims')} << 2);
    while (from < count) {
      at = bytes + i32[offsets + (from << 2)];
      end = bytes + i32[offsets + (from << 2) + 4];
      zero(row, size);
      if (isAscii(at, end) == 0) { return from; }
      ${get('row')} = row;
      read(state, at, end);
      if (${get('count')} > 0) { flush(state); }
      row += size;
      from += 1;
    }
    return count;
  }

  fn zero(i32 at, i32 size) {
    i32 end = at + size;
    while (at < end) { v128[at] = i64x2.splat(0L); at += 16; }
  }
`,
  { sum: i32 },
);
