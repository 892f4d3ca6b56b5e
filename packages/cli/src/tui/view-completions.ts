import { count } from '../terminal/figures.ts';
import { fit, type Line, lineWidth, type Span, span } from './spans.ts';
import type { State } from './state.ts';

/** The line under the query: what Tab would put in; a rule where there is nothing to offer. */
export function completionLine(state: State): Line {
  const { completing, columns, answer, hint, overlay } = state;
  if (overlay !== undefined) return rule(columns);
  if (completing === undefined || completing.items.length === 0) {
    const widened = hint === undefined ? answer?.widened : undefined;
    if (widened === undefined) return rule(columns);
    const note = [
      span('─── no hit as it stands; hits of ', 'dim'),
      span(widened, 'value'),
      span(' ', 'dim'),
    ];
    return fit([...note, ...rule(Math.max(0, columns - lineWidth(note)))], columns);
  }
  const { items, at, place } = completing;
  const head: Span[] = [span(place.field === undefined ? ' ' : ` ${place.field}  `, 'dim')];
  const shown = items.map((item, i): Line => {
    const label = span(item.label, i === at ? 'chosen' : 'plain');
    return item.count === undefined ? [label] : [label, span(` ${count(item.count)}`, 'dim')];
  });
  return fit([...head, ...joined(shown, columns, at ?? 0)], columns);
}

/** The items with dots between; those before are left out where the chosen one would not fit. */
function joined(items: readonly Line[], columns: number, at: number): Line {
  let first = 0;
  const wide = (from: number) =>
    items.slice(from, at + 1).reduce((sum, item) => sum + lineWidth(item) + 3, 0);
  while (first < at && wide(first) > columns - 24) first++;
  const shown = items
    .slice(first)
    .flatMap((item, i) => (i === 0 ? item : [span(' · ', 'dim'), ...item]));
  return first === 0 ? shown : [span('… ', 'dim'), ...shown];
}

/** A line from side to side. */
export function rule(columns: number): Line {
  return [span('─'.repeat(Math.max(0, columns)), 'dim')];
}
