/** Terms opened: addresses, bounds, postings of short terms. */
import {
  BUFFER,
  BUFFER_BYTES,
  QUERY,
  SEGMENT,
  SLOT,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { DENSE, DOWN, ROUNDING, SHORT } from './constants.ts';

export const open = `
  // The most that a document's impact by the query's average length is, which by the segment's is at
  // most "impact"; frequencies up to "tf". With n = 0.3 + 0.9 length / average an impact is
  // 1 / (1 + n / tf), so only the second part of n depends on the average. Where that grows (scale
  // above 1) high frequencies gain most. Where it falls low ones lose least: "few" is the lowest
  // one that such an impact can have, because a document is as long as its frequency or longer.
  fn raiseFrequency(f64 impact, f64 tf) -> f64 {
    f64 scale = f64[${QUERY.scale}];
    if (scale == 1.0) { return impact; }
    f64 rest = (1.0 - impact) / (impact * scale), fixed = 0.3 - 0.3 / scale;
    if (scale > 1.0) { return ${ROUNDING} / (1.0 + fixed / tf + rest); }
    f64 least = 0.9 / f64[${QUERY.averageLength}];
    f64 left = rest * scale - least * scale;
    if (left <= 0.0) { return impact; }
    f64 few = f64.max(1.0, f64.ceil((0.3 / left) * ${DOWN})), most = 1.0 + fixed / few + rest;
    if (few > 1.0) { most = f64.min(most, 1.0 + 0.3 / (few - 1.0) + least); }
    return f64.min(impact, ${ROUNDING} / most);
  }

  // the same for any frequency
  fn raise(f64 impact) -> f64 {
    f64 scale = f64[${QUERY.scale}];
    if (scale <= 1.0) { return raiseFrequency(impact, 1.0); }
    return ((impact * scale) / (1.0 + impact * (scale - 1.0))) * ${ROUNDING};
  }

  // the best impact of a term that a reference leads to, by the query's average length
  fn bestOf(i32 ref) -> f64 {
    if (ref >= 0) { return 1.0; }
    i32 record = i32[${SEGMENT.records}] + (-1 - ref) * 40;
    return raise(f64.promote_f32(f32.reinterpret_i32(i32[record + 28])));
  }

  // a lower bound of the tenth best impact of such a term; 0: not known
  fn tenthOf(i32 ref) -> f64 {
    if (ref >= 0) { return 0.0; }
    i32 record = i32[${SEGMENT.records}] + (-1 - ref) * 40;
    f64 tenth = f64.promote_f32(f32.reinterpret_i32(i32[record + 24])), scale = f64[${QUERY.scale}];
    f64 fixed = 0.3 - 0.3 / scale;
    if (scale < 1.0) { fixed = 0.0; }
    if (scale != 1.0) { tenth = 1.0 / (1.0 + fixed + (1.0 - tenth) / (tenth * scale)); }
    return tenth;
  }

  fn decodeShort(i32 t) {
    i32 at = i32[t + ${SLOT.ref}], into = i32[t + ${SLOT.buffer}];
    i32 end = into + (i32[t + ${SLOT.df}] << 2), doc = -1;
    while (into < end) {
      i32 value = u8[at], byte = value, shift = 7;
      at += 1;
      value &= 127;
      while (byte > 127) {
        byte = u8[at];
        at += 1;
        value |= (byte & 127) << shift;
        shift += 7;
      }
      i32 tf = 1;
      if (value & 1) {
        tf = u8[at];
        byte = tf;
        at += 1;
        tf &= 127;
        shift = 7;
        while (byte > 127) {
          byte = u8[at];
          at += 1;
          tf |= (byte & 127) << shift;
          shift += 7;
        }
      }
      doc += (value >> 1) + 1;
      i32[into] = doc;
      i32[into + ${BUFFER.frequencies}] = tf;
      into += 4;
    }
    v128[into] = i32x4.splat(0x7fffffff);
  }

  fn openTerm(i32 t, i32 slot, i32 df, i32 ref) {
    f64 weight = f64[t + ${SLOT.weight}];
    i32[t + ${SLOT.df}] = df;
    i32[t + ${SLOT.ref}] = ref;
    i32[t + ${SLOT.slot}] = slot;
    i32[t + ${SLOT.buffer}] = ${QUERY.buffers} + slot * ${BUFFER_BYTES};
    i32[t + ${SLOT.decoded}] = -1;
    i32[t + ${SLOT.best}] = bestDocsOf(ref);
    if (ref >= 0) {
      i32[t + ${SLOT.kind}] = ${SHORT};
      i32[t + ${SLOT.blocks}] = 1;
      i32[t + ${SLOT.postings}] = df;
      f64[t + ${SLOT.max}] = weight;
      decodeShort(t);
      return;
    }
    i32 record = i32[${SEGMENT.records}] + (-1 - ref) * 40;
    i32 big = i32[${SEGMENT.big}], ranges = i32[${SEGMENT.ranges}];
    i32 start = big + (i32[record + 4] << 2);
    i32 kind = i32[record + 8];
    f64[t + ${SLOT.max}] = weight * bestOf(ref);
    i32[t + ${SLOT.kind}] = kind;
    if (kind == ${DENSE}) {
      i32 wide = i32[record + 32] == 1;
      i32 base = start + (ranges << 5);
      i32 offset = base + (((ranges >> 3) + 1) << 2);
      i32 impact = offset + (ranges << (wide + 1));
      i32[t + ${SLOT.bitmap}] = start;
      i32[t + ${SLOT.base}] = base;
      i32[t + ${SLOT.offset}] = offset;
      i32[t + ${SLOT.payload}] = big + i32[record + 12];
      i32[t + ${SLOT.impact}] = impact;
      i32[t + ${SLOT.width}] = impact + ranges;
      i32[t + ${SLOT.group}] = impact + (ranges << 1);
      i32[t + ${SLOT.wide}] = wide;
      return;
    }
    i32 blocks = i32[record + 20];
    if (blocks != (df + 127) >> 7) { trap(); }
    i32[t + ${SLOT.blocks}] = blocks;
    i32[t + ${SLOT.lastDocs}] = start;
    i32[t + ${SLOT.heads}] = start + (blocks << 2);
    i32[t + ${SLOT.offsets}] = start + (blocks << 3);
    i32[t + ${SLOT.data}] = big + i32[record + 12];
  }`;
