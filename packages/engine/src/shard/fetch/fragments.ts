import type { Segment } from '@lakehouse-search/contract';
import type { Mark, MarkedText } from './marks.ts';

/** A run of a text, UTF-16 units [from, to), that is shown with its marks. */
interface Fragment {
  readonly from: number;
  readonly to: number;
}
interface Candidate extends Fragment {
  readonly source: number;
  /** Different words and phrases, then marks in all. */
  readonly kinds: number;
  readonly marks: number;
}

/**
 * The best fragments of a field's values, best first: those with most different matches, then most
 * matches, then the earlier. A fragment is at most `size` UTF-16 units long unless one match is
 * longer, begins and ends at token borders, and does not overlap another; a value that fits is
 * shown whole. Values without a match give none.
 */
export function bestFragments(
  values: readonly MarkedText[],
  count: number,
  size: number,
): readonly (readonly Segment[])[] {
  const candidates = values.flatMap((value, source) => windows(value, source, size));
  candidates.sort(
    (a, b) => b.kinds - a.kinds || b.marks - a.marks || a.source - b.source || a.from - b.from,
  );
  const taken = values.map((): Fragment[] => []);
  const chosen: (readonly Segment[])[] = [];
  for (const candidate of candidates) {
    if (chosen.length === count) break;
    const others = taken[candidate.source]!;
    if (others.some((other) => candidate.from < other.to && other.from < candidate.to)) continue;
    const value = values[candidate.source]!;
    const fragment = widened(value, candidate, size, others);
    others.push(fragment);
    chosen.push(segments(value, fragment));
  }
  return chosen;
}

/** For each mark the marks from it on that fit together. */
function windows(value: MarkedText, source: number, size: number): Candidate[] {
  const { marks } = value;
  return marks.map((first, i) => {
    const kinds = new Set<number>();
    let to = first.to;
    let j = i;
    for (; j < marks.length && (j === i || marks[j]!.to - first.from <= size); j++) {
      kinds.add(marks[j]!.what);
      to = marks[j]!.to;
    }
    return { source, from: first.from, to, kinds: kinds.size, marks: j - i };
  });
}

/** Grows a window to both sides up to `size`, to token borders, not into other fragments. */
function widened(
  value: MarkedText,
  window: Fragment,
  size: number,
  others: readonly Fragment[],
): Fragment {
  const { text, starts, ends } = value;
  const left = Math.max(0, ...others.filter((o) => o.to <= window.from).map((o) => o.to));
  const right = Math.min(
    text.length,
    ...others.filter((o) => o.from >= window.to).map((o) => o.from),
  );
  if (right - left <= size) return { from: left, to: right };
  const room = Math.max(0, size - (window.to - window.from));
  const before = Math.max(left, window.from - Math.floor(room / 2));
  let from = before === 0 ? 0 : (starts.find((start) => start >= before) ?? window.from);
  if (from > window.from) from = window.from;
  const after = Math.min(right, Math.max(window.to, from + size));
  let to = after === text.length ? after : (ends.findLast((end) => end <= after) ?? window.to);
  if (to < window.to) to = window.to;
  return { from, to: withPunctuation(text, to, after) };
}

/** Takes the punctuation that follows a word with it; whole code points only. */
function withPunctuation(text: string, to: number, limit: number): number {
  let end = to;
  while (end < limit) {
    const point = String.fromCodePoint(text.codePointAt(end)!);
    if (/[\s\p{L}\p{N}]/u.test(point) || end + point.length > limit) break;
    end += point.length;
  }
  return end;
}

function segments(value: MarkedText, fragment: Fragment): readonly Segment[] {
  const out: Segment[] = [];
  let at = fragment.from;
  const plain = (to: number) => {
    if (to > at) out.push({ text: value.text.slice(at, to), marked: false });
  };
  for (const mark of value.marks) {
    if (!inside(mark, fragment)) continue;
    plain(mark.from);
    out.push({ text: value.text.slice(mark.from, mark.to), marked: true });
    at = mark.to;
  }
  plain(fragment.to);
  return out;
}

function inside(mark: Mark, fragment: Fragment): boolean {
  return mark.from >= fragment.from && mark.to <= fragment.to;
}
