import type { Facet } from '@lakehouse-search/contract';
import { bar, count } from '../../terminal/figures.ts';
import { cut, pad, printable, width } from '../../terminal/text.ts';
import { sameQuestion } from '../state/question.ts';
import { facetQuestion, type State } from '../state/state.ts';
import { fit, type Line, lineWidth, type Span, span, toned } from './spans.ts';

/**
 * A line a field: its values with their counts, numbers with bars; dim while newer ones are
 * counted.
 */
export function facetPane(state: State, columns: number, rows: number): Line[] {
  if (rows <= 0) return [];
  const facets = (state.facets?.facets ?? []).filter(({ buckets }) => buckets.length > 0);
  const names = Math.min(16, Math.max(0, ...state.index.facetFields.map(width)));
  const lines = facets.slice(0, rows - 1).map((facet): Line => {
    const head = span(` ${pad(cut(facet.field, names), names)}  `, 'field');
    const room = columns - lineWidth([head]) - 1;
    return [head, ...(isNumber(facet, state) ? bars(facet, room) : values(facet, room))];
  });
  const isOld = !sameQuestion(state.facets?.question, facetQuestion(state));
  return [[], ...lines].map((line) => fit(isOld ? toned(line, 'dim') : line, columns));
}

function isNumber({ field, buckets }: Facet, { index }: State): boolean {
  const type = index.fields.find((f) => f.name === field)?.type;
  return type === 'LONG' && buckets.length > 1 && buckets.length <= 6;
}

/** `billing 42 · search 7`, as many as fit whole. */
function values({ buckets }: Facet, room: number): Line {
  return whole(
    buckets.map(({ value, count: n }) => [
      span(cut(printable(value), 24)),
      span(` ${count(n)}`, 'dim'),
    ]),
    room,
    ' · ',
  );
}

/** `2 ██████  3 ███`, in the order of the values. */
function bars({ buckets }: Facet, room: number): Line {
  const most = Math.max(1, ...buckets.map((bucket) => bucket.count));
  const rising = buckets.toSorted((a, b) => Number(a.value) - Number(b.value));
  return whole(
    rising.map(({ value, count: n }) => [span(`${value} `), span(bar(n / most, 6), 'value')]),
    room,
    ' ',
  );
}

function whole(items: readonly Line[], room: number, between: string): Line {
  const out: Span[] = [];
  let left = room;
  for (const item of items) {
    const next = out.length === 0 ? item : [span(between, 'dim'), ...item];
    left -= lineWidth(next);
    if (left < 0) break;
    out.push(...next);
  }
  return out;
}
