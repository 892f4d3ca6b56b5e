/**
 * Kernels that number the tokens of the `simple` analyzer and of the standard tokenizer, in the
 * language of ../kernels/language.ts; memory: inverted/term-layout.ts.
 *
 *   lower(at, end): puts text into lower case, as far as it is ASCII, and writes a bit per byte:
 *   set for letters, digits and bytes beyond ASCII.
 *
 *   lowerWords(at, end): the same for the standard tokenizer: also set for `_`, for marks that join
 *   letters or digits, and for marks beside bytes beyond ASCII.
 *
 *   number(at, end, standard, size, most, mask, pool, poolEnd, starts, slots): numbers the tokens of the
 *   text at .. end, which `lower` (standard 0) or `lowerWords` (1) has prepared, with a term table
 *   (inverted/term-table.ts) of `size` terms. Writes numbers to IDS; returns how many there are. STATE has the terms of the
 *   table afterwards, and where the kernel stopped: before `end` if IDS is full, if a new term does
 *   not fit (`most` terms, pool up to poolEnd), or at the start of a token that is too long or not
 *   ASCII.
 *
 * Tokens are numbered in batches, in three passes: find and hash the tokens; find the slot of each
 * hash; compare each with the term of its slot. A large table lies outside of the caches, and the
 * processor waits for several tokens of a pass at once.
 */
import {
  TERM_HASH,
  TERM_MEMORY,
  TOKEN_RECORD,
} from '../../packages/engine/src/inverted/term-layout.ts';
import { compile } from '../kernels/language.ts';

const { STATE, RECORDS, BATCH, IDS, IDS_MOST, TEXT, BITS, TOKEN_MOST } = TERM_MEMORY;
const { bytes: RECORD, at: AT, length: LENGTH, hash: HASH, found: FOUND } = TOKEN_RECORD;
const LANES = 16;

/** Lanes of v that are `count` values from `first` on. */
const within = (value: string, first: string, count: number): string =>
  `i8x16.lt_u(i8x16.sub(${value}, i8x16.splat(${first.charCodeAt(0)})), i8x16.splat(${count}))`;

const same = (value: string, character: string): string =>
  `i8x16.eq(${value}, i8x16.splat(${character.charCodeAt(0)}))`;

const lower = `
  export fn lower(i32 at, i32 end) {
    v128 v, letters, flag = i8x16.splat(32);
    while (at < end) {
      v = v128[at];
      letters = ${within('v128.or(v, flag)', 'a', 26)};
      v128[at] = v128.or(v, v128.and(letters, flag));
      letters = v128.or(letters, ${within('v', '0', 10)});
      u16[${BITS} + ((at - ${TEXT}) >> 3)] = i8x16.bitmask(v128.or(letters, v));
      at += ${LANES};
    }
  }

  export fn lowerWords(i32 at, i32 end) {
    v128 v, letters, digits, before = i8x16.splat(0), after, dots, marks, more, flag = i8x16.splat(32);
    v128 last = i8x16.splat(0);
    while (at < end) {
      v = v128[at];
      before = i8x16.shuffle<15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30>(last, v);
      after = v128[at + 1];
      last = v;
      letters = ${within('v128.or(v, flag)', 'a', 26)};
      digits = ${within('v', '0', 10)};
      v128[at] = v128.or(v, v128.and(letters, flag));
      dots = v128.or(${same('v', '.')}, ${same('v', "'")});
      more = v128.or(${same('v', ',')}, ${same('v', ';')});
      marks = ${same('v', ':')};
      letters = v128.or(letters, v128.and(
        v128.and(${within('v128.or(before, flag)', 'a', 26)}, ${within('v128.or(after, flag)', 'a', 26)}),
        v128.or(dots, marks)));
      digits = v128.or(digits, v128.and(
        v128.and(${within('before', '0', 10)}, ${within('after', '0', 10)}), v128.or(dots, more)));
      marks = v128.and(v128.or(marks, v128.or(dots, more)), v128.or(before, after));
      letters = v128.or(letters, v128.or(digits, v128.or(marks, ${same('v', '_')})));
      u16[${BITS} + ((at - ${TEXT}) >> 3)] = i8x16.bitmask(v128.or(letters, v));
      at += ${LANES};
    }
  }

  // bits of the text from \`at\` on, at least 57
  fn bitsFrom(i32 at) -> i64 {
    i32 bit = at - ${TEXT};
    return i64[${BITS} + (bit >> 3)] >> i64.extend_i32_u(bit & 7);
  }

  // bytes of the run at \`at\`; more than TOKEN_MOST if it is longer
  fn runLength(i32 at) -> i32 {
    i32 end = at, n;
    while (end - at <= ${TOKEN_MOST}) {
      n = i32.wrap_i64(i64.ctz(bitsFrom(end) ^ (-1L)));
      if (n < 57) { return end + n - at; }
      end += 56;
    }
    return end - at;
  }`;

/** The hash of a term, as \`hashOf\` of the table. */
const mixed = (hash: string, word: string): string =>
  `(i32.rotl(${hash}, ${TERM_HASH.rotate}) ^ (${word})) * ${TERM_HASH.multiply}`;

const gather = `
  // bytes of runs that are no letters, digits, _ or beyond ASCII
  fn isMark(i32 byte) -> i32 {
    return byte < 48 || (byte & 254) == 58;
  }

  // finds up to BATCH tokens and hashes them; returns how many, STATE has where it stopped
  fn gather(i32 at, i32 end, i32 standard) -> i32 {
    i32 record = ${RECORDS}, length, hash, k, rest, first;
    i64 bits, word, any;
    while (record < ${RECORDS + BATCH * RECORD}) {
      bits = bitsFrom(at);
      if (i64.eqz(bits)) {
        at += 56;
        if (at >= end) { break; }
        continue;
      }
      at += i32.wrap_i64(i64.ctz(bits));
      if (at >= end) { break; }
      length = i32.wrap_i64(i64.ctz(bitsFrom(at) ^ (-1L)));
      if (length > 56) { length = runLength(at); }
      length = select(length < end - at, length, end - at);
      if (standard) {
        // marks at the edges of a text, and a lone _
        first = u8[at];
        if (isMark(first) || (first == 95 && length == 1)) {
          at += 1;
          continue;
        }
        length -= isMark(u8[at + length - 1]);
      }
      if (length > ${TOKEN_MOST}) { break; }
      hash = length;
      any = 0L;
      k = 0;
      while (k < length) {
        rest = length - k;
        rest = (64 - (select(rest < 8, rest, 8) << 3));
        word = (i64[at + k] << i64.extend_i32_u(rest)) >> i64.extend_i32_u(rest);
        any |= word;
        hash = ${mixed('hash', 'i32.wrap_i64(word)')};
        hash = ${mixed('hash', 'i32.wrap_i64(word >> 32L)')};
        k += 8;
      }
      if (i64.ne(any & (-9187201950435737472L), 0L)) { break; }
      i32[record + ${AT}] = at;
      i32[record + ${LENGTH}] = length;
      i32[record + ${HASH}] = hash;
      record += ${RECORD};
      at += length;
    }
    i32[${STATE + 4}] = select(at < end, at, end);
    return (record - ${RECORDS}) / ${RECORD};
  }

  fn firstSlot(i32 hash) -> i32 {
    hash = (hash ^ (hash >> 15)) * ${TERM_HASH.mix};
    return hash ^ (hash >> 13);
  }

  // number + 1 of the first term with the hash of each token, 0 if there is none
  fn probe(i32 last, i32 mask, i32 slots) {
    i32 record = ${RECORDS}, hash, slot, entry, found;
    while (record < last) {
      hash = i32[record + ${HASH}];
      slot = firstSlot(hash);
      while (1) {
        entry = slots + ((slot & mask) << 3);
        found = i32[entry + 4];
        if (!found) { break; }
        if (i32[entry] == hash) { break; }
        slot += 1;
      }
      i32[record + ${FOUND}] = found;
      record += ${RECORD};
    }
  }`;

const find = `
  // whether the pooled term at \`term\` has the \`length\` bytes of the token
  fn same(i32 term, i32 at, i32 length) -> i32 {
    i64 differs;
    while (length > 8) {
      if (i64.ne(i64[term], i64[at])) { return 0; }
      term += 8;
      at += 8;
      length -= 8;
    }
    differs = (i64[term] ^ i64[at]) << i64.extend_i32_u(64 - (length << 3));
    return i64.eqz(differs);
  }

  fn isTerm(i32 record, i32 id, i32 pool, i32 starts) -> i32 {
    i32 start = i32[starts + (id << 2)], length = i32[record + ${LENGTH}];
    if (i32[starts + (id << 2) + 4] - start != length) { return 0; }
    return same(pool + start, i32[record + ${AT}], length);
  }

  // number of the token's term, or the address of the slot that it would have, negated
  fn find(i32 record, i32 mask, i32 pool, i32 starts, i32 slots) -> i32 {
    i32 hash = i32[record + ${HASH}], entry, id;
    i32 slot = firstSlot(hash);
    while (1) {
      entry = slots + ((slot & mask) << 3);
      id = i32[entry + 4] - 1;
      if (id < 0) { return -entry; }
      if (i32[entry] == hash) {
        if (isTerm(record, id, pool, starts)) { return id; }
      }
      slot += 1;
    }
  }`;

const number = `
  export fn number(
    i32 at, i32 end, i32 standard, i32 size, i32 most, i32 mask, i32 pool, i32 poolEnd, i32 starts, i32 slots
  ) -> i32 {
    i32 into = ${IDS}, record, last, id, start, length, entry, known;
    while (into < ${IDS + 4 * IDS_MOST}) {
      last = ${RECORDS} + gather(at, end, standard) * ${RECORD};
      at = i32[${STATE + 4}];
      probe(last, mask, slots);
      record = ${RECORDS};
      while (record < last) {
        id = i32[record + ${FOUND}] - 1;
        known = 0;
        if (id >= 0) { known = isTerm(record, id, pool, starts); }
        if (!known) {
          id = find(record, mask, pool, starts, slots);
          if (id < 0) {
            start = i32[starts + (size << 2)];
            length = i32[record + ${LENGTH}];
            if (size >= most || start + length > poolEnd - pool) {
              i32[${STATE}] = size;
              i32[${STATE + 4}] = i32[record + ${AT}];
              return (into - ${IDS}) >> 2;
            }
            memory.copy(pool + start, i32[record + ${AT}], length);
            entry = -id;
            id = size;
            size += 1;
            i32[starts + (size << 2)] = start + length;
            i32[entry] = i32[record + ${HASH}];
            i32[entry + 4] = size;
          }
        }
        i32[into] = id;
        into += 4;
        record += ${RECORD};
      }
      if (last < ${RECORDS + BATCH * RECORD}) { break; }
    }
    i32[${STATE}] = size;
    return (into - ${IDS}) >> 2;
  }`;

/** The functions `lower`, `lowerWords` and `number`, and what they call. */
export const kernels = compile([lower, gather, find, number].join('\n'));
