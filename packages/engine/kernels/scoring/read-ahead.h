/*
 * Lines of memory that a query will need of each term and segment, read before any of them is used:
 * they come from memory at once, not one after the other.
 */

/* Lines of what a record leads to: the best documents of a `single` term, else tables of a list. */
static i32 readTerm(i32 ref, i32 single) {
  if (single) {
    i32 best = bestDocsOf(ref);
    if (best) return I32(best)[-2] + I32(best)[-18] + I32(best)[-34];
  }
  i32 record = SEGMENT->records + (-1 - ref) * 40, four = I32(record)[5] << 2;
  i32 big = SEGMENT->big, start = big + (I32(record)[1] << 2);
  if (I32(record)[2] == DENSE) return 0;
  return *I32(start) + *I32(start + four) + *I32(start + (four << 1)) + *I32(big + I32(record)[3]);
}

/*
 * Reads ahead for the segments [first, last) of those looked up; `top`: the best documents are
 * wanted.
 */
EXPORT(readAhead) void readAhead(i32 first, i32 last, i32 asked, i32 top) {
  i32 ahead = 0, s = first;
  if (asked * (last - first) == 1) return;
  for (; s < last; s++) {
    Entry *entry = &QUERY->segments[s];
    i32 k = 0;
    i32 records = entry->segment.records;
    for (; k < asked; k++) {
      i32 ref = entry->found[k].ref;
      if (entry->found[k].df) ahead += *I32(SELECT(ref < 0, records + (-1 - ref) * 40, ref));
    }
  }
  for (s = first; s < last; s++) {
    Entry *entry = &QUERY->segments[s];
    i32 k = 0;
    enter(entry);
    for (; k < asked; k++) {
      i32 ref = entry->found[k].ref;
      if (entry->found[k].df && ref < 0) ahead += readTerm(ref, top && asked == 1);
    }
  }
  QUERY->ahead = ahead;
}
