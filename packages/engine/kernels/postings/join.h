/* Postings of several segments. */

/*
 * join: appends n postings of another segment to those at docs, freqs and positions: documents
 * olds[i] + shift, frequencies tfs[i], and their positions, which begin at the byte `bits` and take
 * as many bits as the codes of the documents at `widths` tell. Returns how many bits it has read.
 */
EXPORT(join)
i32 join(i32 olds, i32 tfs, i32 n, i32 shift, i32 bits, i32 docs, i32 freqs, i32 positions,
         i32 widths) {
  i32 end = olds + (n << 2), bit = 0, doc, width, mask, last;
  while (olds < end) {
    doc = *I32(olds) + shift;
    *I32(docs) = doc;
    *I32(freqs) = *I32(tfs);
    width = U8(WIDTHS)[U8(widths)[doc]];
    mask = ones(width);
    last = positions + (*I32(tfs) << 2);
    for (; positions < last; positions += 4) {
      *I32(positions) = shr(*I32(bits + shr(bit, 3)), bit & 7) & mask;
      bit += width;
    }
    olds += 4;
    tfs += 4;
    docs += 4;
    freqs += 4;
  }
  return bit;
}
