/* The bytes of `encodeShort`, `encodeList` and `encodeDense` (engine/src/postings). */

/* short: a short term; returns the end of its bytes. */
EXPORT(short) i32 shortTerm(i32 df, i32 docs, i32 freqs, i32 positions, i32 widths, i32 out) {
  i32 at = docs, end = docs + (df << 2), tf = freqs, last = -1, delta;
  *I32(POSITION) = positions;
  while (at < end) {
    delta = (*I32(at) - last - 1) << 1;
    last = *I32(at);
    if (*I32(tf) == 1) {
      out = varint(delta, out);
    } else {
      out = varint(delta | 1, out);
      out = varint(*I32(tf), out);
    }
    at += 4;
    tf += 4;
  }
  return writePositions(docs, freqs, end, widths, out);
}

/*
 * list: a list term at `out`, a multiple of 4. Notes the impact of each block (f64) at `notes`.
 * BEST has the best impacts, the words behind POSITION what PostingsKernel reads.
 */
EXPORT(list)
i32 listTerm(i32 df, i32 docs, i32 freqs, i32 positions, i32 widths, i32 codes, i32 out,
             i32 notes) {
  i32 blocks = (i32)((u32)(df + LIST_BLOCK - 1) / LIST_BLOCK), heads = out, start = out, data;
  i32 block = 0, at, end, tf, any, most, delta, last = -1, width, into;
  *I32(POSITION) = positions;
  out += blocks << 4;
  data = out;
  for (; block < blocks; block++) {
    at = docs + block * 4 * LIST_BLOCK;
    tf = freqs + block * 4 * LIST_BLOCK;
    end = SELECT((block + 1) * LIST_BLOCK < df, at + 4 * LIST_BLOCK, docs + (df << 2));
    F64(notes)[block] = weigh(at, tf, end, codes);
    any = 0;
    most = 0;
    into = DELTAS;
    for (; at < end; at += 4) {
      delta = *I32(at) - last - 1;
      last = *I32(at);
      any |= delta;
      *I32(into) = delta;
      most |= *I32(tf + into - DELTAS) - 1;
      into += 4;
    }
    width = 32 - clz(any);
    most = 32 - clz(most);
    *I32(heads) = last;
    I32(heads)[blocks] = (width << 8) | (most << 16);
    out = (out + 3) & -4;
    *I32(heads + (blocks << 3)) = out - data;
    out = pack(DELTAS, into, width, 0, out);
    out = (out + 3) & -4;
    out = pack(tf, tf + (into - DELTAS), most, 1, out);
    heads += 4;
  }
  *I32(PAYLOAD) = data - start;
  *I32(POSITIONS) = out - start;
  *I32(BLOCKS) = blocks;
  *I32(WIDE) = 0;
  *I32(NOTED) = blocks << 2;
  data = out;
  heads = start + 12 * blocks;
  for (block = 0; block < blocks; block++) {
    at = block * 4 * LIST_BLOCK;
    end = SELECT((block + 1) * LIST_BLOCK < df, at + 4 * LIST_BLOCK, df << 2);
    I32(heads)[block] = out - data;
    out = writePositions(docs + at, freqs + at, docs + end, widths, out);
  }
  return out;
}

/* Frequencies at .. end, less 1, backwards from the end that is returned. */
static i32 backwards(i32 at, i32 end, i32 width, i32 out) {
  i32 bit = 0, bytes = shr(shr(end - at, 2) * width + 7, 3), into;
  fill(out, 0, bytes + 8);
  out += bytes;
  if (!width) return out;
  for (; at < end; at += 4) {
    bit += width;
    into = out - shr(bit + 7, 3);
    *I32(into) |= shl(*I32(at) - 1, -bit & 7);
  }
  return out;
}

/*
 * dense: a dense term at `out`, a multiple of 4; the impact of each range to `notes`. Returns 0 if
 * an offset needs more than 16 bits and `wide` is 0.
 */
EXPORT(dense)
i32 denseTerm(i32 df, i32 docs, i32 freqs, i32 positions, i32 widths, i32 codes, i32 out, i32 notes,
              i32 ranges, i32 wide) {
  i32 start = out, base, offsets, impact, widthAt, groupAt, payload, range = 0, most, at = docs;
  i32 end = docs + (df << 2), shift = freqs - docs, first, far, limit, g, from, boundary;
  fill(out, 0, ranges << 5);
  for (; at < end; at += 4) {
    from = *I32(at);
    base = out + (shr(from, 5) << 2);
    *I32(base) |= bit(from);
  }
  base = out + (ranges << 5);
  offsets = base + ((shr(ranges, 3) + 1) << 2);
  impact = offsets + shl(ranges, SELECT(wide, 2, 1));
  widthAt = impact + ranges;
  groupAt = widthAt + ranges;
  payload = groupAt + 3 * ranges;
  fill(base, 0, payload - base);
  out = payload;
  *I32(POSITION) = positions;
  at = docs;
  for (; range < ranges; range++) {
    first = at;
    limit = (range + 1) * RANGE;
    most = 0;
    for (; at < end; at += 4) {
      if (*I32(at) >= limit) break;
      most |= *I32(at + shift) - 1;
    }
    F64(notes)[range] = weigh(first, first + shift, at, codes);
    most = 32 - clz(most);
    U8(widthAt)[range] = most;
    if (!(range & 7)) I32(base)[shr(range, 3)] = out - payload;
    out = backwards(first + shift, at + shift, most, out);
    if (wide) {
      I32(offsets)[range] = out - payload;
    } else {
      far = out - payload - I32(base)[shr(range, 3)];
      if (far > 65535) return 0;
      U16(offsets)[range] = far;
    }
    boundary = out;
    g = 0;
    while (g < 4) {
      if (g) {
        from = out - boundary;
        U8(groupAt)[g - 1] = SELECT(from < 255, from, 255);
      }
      g++;
      limit = range * RANGE + g * GROUP;
      from = first;
      for (; first < at; first += 4) {
        if (*I32(first) >= limit) break;
      }
      out = writePositions(from, from + shift, first, widths, out);
    }
    groupAt += 3;
  }
  *I32(PAYLOAD) = payload - start;
  *I32(POSITIONS) = 0;
  *I32(BLOCKS) = 0;
  *I32(WIDE) = wide;
  *I32(NOTED) = impact - start;
  return out;
}
