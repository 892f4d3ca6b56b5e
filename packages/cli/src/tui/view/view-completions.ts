import { count } from '../../terminal/figures.ts';
import { sortText } from '../state/reduce-choices.ts';
import { ADVICE, type State } from '../state/state.ts';
import { fit, type Line, lineWidth, type Span, span } from './spans.ts';

/** The line under the query: what Tab would put in, else what narrows and orders the hits. */
export function completionLine(state: State): Line {
  const { completing, columns, overlay } = state;
  if (overlay !== undefined) return rule(columns);
  if (completing === undefined || completing.items.length === 0) return conditions(state);
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
  const shown = dotted(items.slice(first));
  return first === 0 ? shown : [span('… ', 'dim'), ...shown];
}

/** A rule that begins with the filters, the order, and remarks on the response. */
function conditions({ filters, sort, kept, answer, hint, columns }: State): Line {
  const advice = hint?.split(ADVICE)[1];
  if (advice !== undefined) return fit([span(` ${advice}`, 'value')], columns);
  const parts: Line[] = filters.map((clause) => [span(clause, 'value')]);
  if (answer?.hits[0]?.arms !== undefined) {
    parts.unshift([span('rank by words, by meaning', 'dim')]);
  }
  if (sort.length > 0) parts.push([span('by ', 'dim'), span(sortText(sort), 'field')]);
  if (kept.syntax === 'kql') parts.push([span('kql', 'field')]);
  if (kept.default_operator === 'and') parts.push([span('all words', 'field')]);
  if (kept.collapse !== undefined) {
    parts.push([span('one per ', 'dim'), span(kept.collapse, 'field')]);
  }
  const caveat = hint === undefined ? answer?.caveat : undefined;
  if (caveat !== undefined) parts.push([span(caveat, 'wrong')]);
  if (parts.length === 0) return rule(columns);
  const line = [span('─── ', 'dim'), ...dotted(parts), span(' ', 'dim')];
  return fit([...line, ...rule(columns - lineWidth(line))], columns);
}

const dotted = (items: readonly Line[]): Line =>
  items.flatMap((item, i) => (i === 0 ? item : [span(' · ', 'dim'), ...item]));

/** A line from side to side. */
export function rule(columns: number): Line {
  return [span('─'.repeat(Math.max(0, columns)), 'dim')];
}
