/** Survivors of a block of the rarest list that another list or short term holds too. */
import { BUFFER, QUERY, SLOT } from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { LIST, SHORT } from './constants.ts';

/**
 * From so many survivors per block of the other list on, and so many in all, its documents are
 * compared by a bitmap; else each survivor is looked up.
 */
const PER_BLOCK = 4;
const LEAST = 32;
/** The bitmap has a bit for each document modulo this: it stays in the first cache. */
const MARKED = 16_384;
const MARK_BYTES = MARKED / 8;
/** Less than one of so many survivors: they are looked up one by one. */
const FEW = 5;
/** So many documents that share a bit with a survivor have room. */
const STRAY = 16;

/** The word of the bitmap that has a document's bit. */
const wordOf = (doc: string): string =>
  `i32[${QUERY.survivorMarks} + (((${doc} >> 5) & ${MARKED / 32 - 1}) << 2)]`;

export const meet = `
  // n documents are survivors, at their own places
  fn allSurvive(i32 docs, i32 n) {
    i32 i = 0, end = n << 2;
    v128 place = i32x4.splat(0), four = i32x4.splat(4);
    place = i32x4.replace_lane<1>(place, 1);
    place = i32x4.replace_lane<2>(place, 2);
    place = i32x4.replace_lane<3>(place, 3);
    while (i < end) {
      v128[i + ${QUERY.survivors}] = v128[docs + i];
      v128[i + ${QUERY.places}] = place;
      place = i32x4.add(place, four);
      i += 16;
    }
  }

  // sets the bits of n documents, and no others
  fn markDocs(i32 at, i32 n) {
    i32 end = at + (n << 2);
    memory.fill(${QUERY.survivorMarks}, 0, ${MARK_BYTES});
    while (at < end) {
      i32 d = i32[at];
      ${wordOf('d')} |= 1 << d;
      at += 4;
    }
  }

  // the frequency of the posting at a place of the decoded block (all of a short term)
  fn frequencyAt(i32 t, i32 place) -> i32 {
    if (i32[t + ${SLOT.kind}] == ${SHORT}) {
      return i32[i32[t + ${SLOT.buffer}] + (place << 2) + ${BUFFER.frequencies}];
    }
    return packed(i32[t + ${SLOT.frequenciesAt}], place, i32[t + ${SLOT.frequencyBits}]) + 1;
  }

  // marked documents of docs[from .. to) go to common[m ..], their places to found; returns their end
  fn takeMarked(i32 docs, i32 from, i32 to, i32 m) -> i32 {
    i32 i = from << 2, end = to << 2;
    m <<= 2;
    while (i < end) {
      i32 d = i32[docs + i];
      i32[m + ${QUERY.common}] = d;
      i32[m + ${QUERY.found}] = i >> 2;
      m += ((${wordOf('d')} >> d) & 1) << 2;
      i += 4;
    }
    return m >> 2;
  }

  // the number of marked documents of docs[from .. to)
  fn countMarks(i32 docs, i32 from, i32 to) -> i32 {
    i32 at = docs + (from << 2), end = docs + (to << 2), m = 0;
    while (at < end) {
      i32 d = i32[at];
      m += (${wordOf('d')} >> d) & 1;
      at += 4;
    }
    return m;
  }

  // survivor i becomes survivor m, with what the lists before k know of it
  fn move(i32 k, i32 i, i32 m, i32 d) {
    i32[(m << 2) + ${QUERY.survivors}] = d;
    i32[(m << 2) + ${QUERY.places}] = i32[(i << 2) + ${QUERY.places}];
    i32 j = 1;
    while (j < k) {
      i32 into = i32[i32[(j << 2) + ${QUERY.activeTerms}] + ${SLOT.buffer}] + ${BUFFER.survivors};
      i32[into + (m << 2)] = i32[into + (i << 2)];
      j += 1;
    }
  }

  // moves values[0 .. n) whose survivors are marked to the front
  fn compact(i32 values, i32 n) {
    i32 i = 0, m = 0, end = n << 2;
    while (i < end) {
      i32 d = i32[i + ${QUERY.survivors}];
      i32[values + m] = i32[values + i];
      m += ((${wordOf('d')} >> d) & 1) << 2;
      i += 4;
    }
  }

  // leaves of n survivors those that are among the m in common; returns how many
  fn lookUpCommon(i32 k, i32 n, i32 m) -> i32 {
    i32 into = i32[i32[(k << 2) + ${QUERY.activeTerms}] + ${SLOT.buffer}] + ${BUFFER.survivors};
    i32 i = 0, j = 0, out = 0;
    v128[(n << 2) + ${QUERY.survivors}] = i32x4.splat(0x7fffffff);
    while (j < m) {
      i32 d = i32[(j << 2) + ${QUERY.common}];
      i = seek(${QUERY.survivors}, i, n, d);
      if (i32[(i << 2) + ${QUERY.survivors}] == d) {
        move(k, i, out, d);
        i32[into + (out << 2)] = i32[into + (j << 2)];
        out += 1;
      }
      j += 1;
    }
    return out;
  }

  // the same where all m are among them
  fn keepCommon(i32 k, i32 n, i32 m) {
    i32 j = 1;
    markDocs(${QUERY.common}, m);
    while (j < k) {
      compact(i32[i32[(j << 2) + ${QUERY.activeTerms}] + ${SLOT.buffer}] + ${BUFFER.survivors}, n);
      j += 1;
    }
    compact(${QUERY.places}, n);
    memory.copy(${QUERY.survivors}, ${QUERY.common}, m << 2);
  }

  // survivors[0 .. n) that blocks "block" .. "last" of term k hold; returns how many. "only": their
  // number is all that is wanted.
  fn meetBlocks(i32 k, i32 n, i32 block, i32 last, i32 scoring, i32 only) -> i32 {
    i32 t = i32[(k << 2) + ${QUERY.activeTerms}], first = block, m = 0, i = 0;
    i32 docs = i32[t + ${SLOT.buffer}];
    i32 into = docs + ${BUFFER.survivors};
    i32 low = i32[${QUERY.survivors}], high = i32[(n << 2) + ${QUERY.survivors - 4}];
    // documents this near one another do not share bits
    i32 exact = i32.lt_u(high - low, ${MARKED});
    markDocs(${QUERY.survivors}, n);
    while (block <= last) {
      if (i32[t + ${SLOT.kind}] == ${LIST}) { decode(t, block); }
      i32 from = 0, to = i32[t + ${SLOT.postings}];
      if (block == last) { to = seek(docs, 0, to, high + 1); }
      if (block == first) { from = seek(docs, 0, to, low); }
      if (only && exact) {
        m += countMarks(docs, from, to);
      } else {
        i = m;
        m = takeMarked(docs, from, to, m);
        if (m > n + ${STRAY}) { return meetEach(k, n, first, scoring); }
        while (scoring && i < m) {
          i32[into + (i << 2)] = frequencyAt(t, i32[(i << 2) + ${QUERY.found}]);
          i += 1;
        }
      }
      block += 1;
    }
    if (only && exact) { return m; }
    if (exact && m == n) { return m; }
    if (!exact || m * ${FEW} < n) { return lookUpCommon(k, n, m); }
    keepCommon(k, n, m);
    return m;
  }

  // the same, survivor by survivor, from block "block" on
  fn meetEach(i32 k, i32 n, i32 block, i32 scoring) -> i32 {
    i32 t = i32[(k << 2) + ${QUERY.activeTerms}];
    i32 docs = i32[t + ${SLOT.buffer}], isList = i32[t + ${SLOT.kind}] == ${LIST};
    i32 into = docs + ${BUFFER.survivors}, blocks = i32[t + ${SLOT.blocks}], i = 0, m = 0;
    while (i < n) {
      i32 d = i32[(i << 2) + ${QUERY.survivors}];
      if (isList) {
        if (i32[i32[t + ${SLOT.lastDocs}] + (block << 2)] < d) {
          block = seekBlock(t, block + 1, d);
          if (block >= blocks) { return m; }
        }
        decode(t, block);
      }
      i32 place = seek(docs, i32[t + ${SLOT.place}], i32[t + ${SLOT.postings}], d);
      i32[t + ${SLOT.place}] = place;
      if (place >= i32[t + ${SLOT.postings}]) { return m; }
      if (i32[docs + (place << 2)] == d) {
        move(k, i, m, d);
        if (scoring) { i32[into + (m << 2)] = frequencyAt(t, place); }
        m += 1;
      }
      i += 1;
    }
    return m;
  }

  // survivors[0 .. n) that list or short term k holds ("only": their number is all that is wanted);
  // -1 - their number where it has no more
  fn meet(i32 k, i32 n, i32 scoring, i32 only) -> i32 {
    i32 t = i32[(k << 2) + ${QUERY.activeTerms}], blocks = i32[t + ${SLOT.blocks}];
    i32 hi = i32[(n << 2) + ${QUERY.survivors - 4}], block = 0, last = 0, m = 0;
    i32 ended = 0;
    if (i32[t + ${SLOT.kind}] == ${LIST}) {
      block = seekBlock(t, i32[t + ${SLOT.block}], i32[${QUERY.survivors}]);
      if (block >= blocks) { return -1; }
      last = seekBlock(t, block, hi);
      ended = last >= blocks;
      last = select(ended, blocks - 1, last);
    }
    if (n >= (last - block + 1) * ${PER_BLOCK} && n >= ${LEAST}) {
      m = meetBlocks(k, n, block, last, scoring, only);
      i32[t + ${SLOT.place}] = 0;
    } else {
      m = meetEach(k, n, block, scoring);
    }
    i32[t + ${SLOT.block}] = last;
    return select(ended, -1 - m, m);
  }`;
