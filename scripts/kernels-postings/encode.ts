/**
 * Kernels that encode the postings of one term of a text field, in the language of
 * ../kernels/language.ts; memory: postings/kernel-layout.ts. They write the bytes of `encodeShort`,
 * `encodeList` and `encodeDense` (packages/engine/src/postings).
 *
 *   group(pairs, n, docs, freqs, positions): n pairs (document, position) as postings; returns how
 *   many.
 *
 *   short(df, docs, freqs, positions, widths, out): a short term; returns the end of its bytes.
 *
 *   list(df, docs, freqs, positions, widths, codes, out, notes), dense(…, ranges, wide): a list
 *   term and a dense term at `out`, a multiple of 4. They write BEST and the words behind POSITION,
 *   and at `notes` the impact (f64) of each block or range. `dense` returns 0 if an offset needs
 *   more than 16 bits and `wide` is 0.
 *
 * docs, freqs, positions: addresses of i32. codes, widths: of the length codes of documents, and
 * of the codes of the widths of their positions.
 */
import { GROUP, LIST_BLOCK, RANGE } from '../../packages/engine/src/postings/format.ts';
import { POSTINGS_MEMORY } from '../../packages/engine/src/postings/kernel-layout.ts';
import { compile } from '../kernels/language.ts';
import { bestDocs } from './best-docs.ts';
import { buckets } from './buckets.ts';
import { join } from './join.ts';

const { POSITION, PAYLOAD, POSITIONS, BLOCKS, WIDE, NOTED } = POSTINGS_MEMORY;
const { LONG_DOCS, LONG_NORMS, LONG_COUNT } = POSTINGS_MEMORY;
const { BEST, WIDTHS, NORMS, IMPACTS, DELTAS } = POSTINGS_MEMORY;
/** From this code on a document has a norm of its own (inverted/format.ts). */
const LONG = 240;
const LAST = BEST + 120;

const group = `
  export fn group(i32 pairs, i32 n, i32 docs, i32 freqs, i32 positions) -> i32 {
    i32 end = pairs + (n << 3), last = -1, doc, first = docs;
    while (pairs < end) {
      doc = i32[pairs];
      i32[positions] = i32[pairs + 4];
      if (doc != last) {
        i32[docs] = doc;
        i32[freqs] = 1;
        docs += 4;
        freqs += 4;
        last = doc;
      } else {
        i32[freqs - 4] += 1;
      }
      pairs += 8;
      positions += 4;
    }
    return (docs - first) >> 2;
  }`;

const bits = `
  // positions of the postings at docs .. end, ending on a byte; returns the end
  fn writePositions(i32 docs, i32 freqs, i32 end, i32 widths, i32 out) -> i32 {
    i32 at = i32[${POSITION}], last, width, bit = 0;
    i64 word = 0L;
    while (docs < end) {
      width = u8[${WIDTHS} + u8[widths + i32[docs]]];
      last = at + (i32[freqs] << 2);
      while (at < last) {
        word |= i64.extend_i32_u(i32[at]) << i64.extend_i32_u(bit);
        bit += width;
        at += 4;
        if (bit >= 32) {
          i32[out] = i32.wrap_i64(word);
          out += 4;
          word = word >> 32L;
          bit -= 32;
        }
      }
      docs += 4;
      freqs += 4;
    }
    i32[out] = i32.wrap_i64(word);
    i32[${POSITION}] = at;
    return out + ((bit + 7) >> 3);
  }

  // values at .. end, each less \`less\`, at one width, ending on a byte; returns the end
  fn pack(i32 at, i32 end, i32 width, i32 less, i32 out) -> i32 {
    i32 bit = 0;
    i64 word = 0L;
    if (!width) { return out; }
    while (at < end) {
      word |= i64.extend_i32_u(i32[at] - less) << i64.extend_i32_u(bit);
      bit += width;
      at += 4;
      if (bit >= 32) {
        i32[out] = i32.wrap_i64(word);
        out += 4;
        word = word >> 32L;
        bit -= 32;
      }
    }
    i32[out] = i32.wrap_i64(word);
    return out + ((bit + 7) >> 3);
  }

  fn varint(i32 value, i32 out) -> i32 {
    while (i32.ge_u(value, 128)) {
      u8[out] = value | 128;
      out += 1;
      value = value >> 7;
    }
    u8[out] = value;
    return out + 1;
  }`;

const impacts = `
  fn longNorm(i32 doc) -> f64 {
    i32 docs = i32[${LONG_DOCS}], low = 0, high = i32[${LONG_COUNT}], middle;
    while (low < high) {
      middle = (low + high) >> 1;
      if (i32[docs + (middle << 2)] < doc) { low = middle + 1; } else { high = middle; }
    }
    return f64[i32[${LONG_NORMS}] + (low << 3)];
  }

  // impacts of the postings at docs .. end, to IMPACTS; returns the best
  fn weighAll(i32 docs, i32 freqs, i32 end, i32 codes) -> f64 {
    i32 code, into = ${IMPACTS};
    f64 best = 0.0, norm, tf, value;
    while (docs < end) {
      code = u8[codes + i32[docs]];
      norm = f64[${NORMS} + (code << 3)];
      if (code >= ${LONG}) { norm = longNorm(i32[docs]); }
      tf = f64.convert_i32_s(i32[freqs]);
      value = tf / (tf + norm);
      f64[into] = value;
      if (value > best) { best = value; }
      into += 8;
      docs += 4;
      freqs += 4;
    }
    return best;
  }

  // the same, and BEST takes them
  fn weigh(i32 docs, i32 freqs, i32 end, i32 codes) -> f64 {
    i32 at, into = ${IMPACTS} + ((end - docs) << 1);
    f64 best = weighAll(docs, freqs, end, codes), value, other;
    if (best <= f64[${LAST}]) { return best; }
    at = ${IMPACTS};
    while (at < into) {
      value = f64[at];
      at += 8;
      if (value <= f64[${LAST}]) { continue; }
      docs = ${LAST};
      while (docs > ${BEST}) {
        other = f64[docs - 8];
        if (other >= value) { break; }
        f64[docs] = other;
        docs -= 8;
      }
      f64[docs] = value;
    }
    return best;
  }`;

const short = `
  export fn short(i32 df, i32 docs, i32 freqs, i32 positions, i32 widths, i32 out) -> i32 {
    i32 at = docs, end = docs + (df << 2), tf = freqs, last = -1, delta;
    i32[${POSITION}] = positions;
    while (at < end) {
      delta = (i32[at] - last - 1) << 1;
      last = i32[at];
      if (i32[tf] == 1) {
        out = varint(delta, out);
      } else {
        out = varint(delta | 1, out);
        out = varint(i32[tf], out);
      }
      at += 4;
      tf += 4;
    }
    return writePositions(docs, freqs, end, widths, out);
  }`;

const list = `
  export fn list(
    i32 df, i32 docs, i32 freqs, i32 positions, i32 widths, i32 codes, i32 out, i32 notes
  ) -> i32 {
    i32 blocks = (df + ${LIST_BLOCK - 1}) / ${LIST_BLOCK}, heads = out, start = out, data;
    i32 block = 0, at, end, tf, any, most, delta, last = -1, width, into;
    i32[${POSITION}] = positions;
    out += blocks << 4;
    data = out;
    while (block < blocks) {
      at = docs + block * ${4 * LIST_BLOCK};
      tf = freqs + block * ${4 * LIST_BLOCK};
      end = select((block + 1) * ${LIST_BLOCK} < df, at + ${4 * LIST_BLOCK}, docs + (df << 2));
      f64[notes + (block << 3)] = weigh(at, tf, end, codes);
      any = 0;
      most = 0;
      into = ${DELTAS};
      while (at < end) {
        delta = i32[at] - last - 1;
        last = i32[at];
        any |= delta;
        i32[into] = delta;
        most |= i32[tf + (into - ${DELTAS})] - 1;
        into += 4;
        at += 4;
      }
      width = 32 - i32.clz(any);
      most = 32 - i32.clz(most);
      i32[heads] = last;
      i32[heads + (blocks << 2)] = (width << 8) | (most << 16);
      out = (out + 3) & (-4);
      i32[heads + (blocks << 3)] = out - data;
      out = pack(${DELTAS}, into, width, 0, out);
      out = (out + 3) & (-4);
      out = pack(tf, tf + (into - ${DELTAS}), most, 1, out);
      heads += 4;
      block += 1;
    }
    i32[${PAYLOAD}] = data - start;
    i32[${POSITIONS}] = out - start;
    i32[${BLOCKS}] = blocks;
    i32[${WIDE}] = 0;
    i32[${NOTED}] = blocks << 2;
    data = out;
    heads = start + 12 * blocks;
    block = 0;
    while (block < blocks) {
      at = block * ${4 * LIST_BLOCK};
      end = select((block + 1) * ${LIST_BLOCK} < df, at + ${4 * LIST_BLOCK}, df << 2);
      i32[heads + (block << 2)] = out - data;
      out = writePositions(docs + at, freqs + at, docs + end, widths, out);
      block += 1;
    }
    return out;
  }`;

const dense = `
  // frequencies at .. end, less 1, backwards from the end that is returned
  fn backwards(i32 at, i32 end, i32 width, i32 out) -> i32 {
    i32 bit = 0, bytes = ((((end - at) >> 2) * width) + 7) >> 3, into;
    memory.fill(out, 0, bytes + 8);
    out += bytes;
    if (!width) { return out; }
    while (at < end) {
      bit += width;
      into = out - ((bit + 7) >> 3);
      i32[into] = i32[into] | ((i32[at] - 1) << ((0 - bit) & 7));
      at += 4;
    }
    return out;
  }

  export fn dense(
    i32 df, i32 docs, i32 freqs, i32 positions, i32 widths, i32 codes, i32 out, i32 notes,
    i32 ranges, i32 wide
  ) -> i32 {
    i32 start = out, base, offsets, impact, widthAt, groupAt, payload, range = 0, most, at = docs;
    i32 end = docs + (df << 2), shift = freqs - docs, first, far, limit, g, from, boundary;
    memory.fill(out, 0, ranges << 5);
    while (at < end) {
      from = i32[at];
      base = out + ((from >> 5) << 2);
      i32[base] = i32[base] | (1 << (from & 31));
      at += 4;
    }
    base = out + (ranges << 5);
    offsets = base + (((ranges >> 3) + 1) << 2);
    impact = offsets + (ranges << select(wide, 2, 1));
    widthAt = impact + ranges;
    groupAt = widthAt + ranges;
    payload = groupAt + 3 * ranges;
    memory.fill(base, 0, payload - base);
    out = payload;
    i32[${POSITION}] = positions;
    at = docs;
    while (range < ranges) {
      first = at;
      limit = (range + 1) * ${RANGE};
      most = 0;
      while (at < end) {
        if (i32[at] >= limit) { break; }
        most |= i32[at + shift] - 1;
        at += 4;
      }
      f64[notes + (range << 3)] = weigh(first, first + shift, at, codes);
      most = 32 - i32.clz(most);
      u8[widthAt + range] = most;
      if (!(range & 7)) { i32[base + ((range >> 3) << 2)] = out - payload; }
      out = backwards(first + shift, at + shift, most, out);
      if (wide) {
        i32[offsets + (range << 2)] = out - payload;
      } else {
        far = out - payload - i32[base + ((range >> 3) << 2)];
        if (far > 65535) { return 0; }
        u16[offsets + (range << 1)] = far;
      }
      boundary = out;
      g = 0;
      while (g < 4) {
        if (g) {
          from = out - boundary;
          u8[groupAt + g - 1] = select(from < 255, from, 255);
        }
        g += 1;
        limit = range * ${RANGE} + g * ${GROUP};
        from = first;
        while (first < at) {
          if (i32[first] >= limit) { break; }
          first += 4;
        }
        out = writePositions(from, from + shift, first, widths, out);
      }
      groupAt += 3;
      range += 1;
    }
    i32[${PAYLOAD}] = payload - start;
    i32[${POSITIONS}] = 0;
    i32[${BLOCKS}] = 0;
    i32[${WIDE}] = wide;
    i32[${NOTED}] = impact - start;
    return out;
  }`;

/** The functions `group`, `short`, `list` and `dense`, what they call, and those of best-docs.ts, buckets.ts and join.ts. */
export const kernels = compile(
  [group, bits, impacts, short, list, dense, bestDocs, buckets, join].join('\n'),
);
