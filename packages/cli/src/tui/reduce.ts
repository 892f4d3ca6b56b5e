import type { SortSpec } from '@lakehouse-search/engine';
import { completionPlace, fieldItems } from './completion.ts';
import { type EditLine, edit, insert, lineOf, replace } from './edit-line.ts';
import type { Deed, News, ScreenEvent } from './events.ts';
import { scrolled } from './layout.ts';
import { reduceNews, taking } from './reduce-news.ts';
import { reduceOverlay } from './reduce-overlay.ts';
import { type Choice, FRAME_ROWS, keyText, type State, selected } from './state.ts';

const NEWS: readonly string[] = [
  'resized',
  'answered',
  'refused',
  'row',
  'faceted',
  'suggested',
  'explained',
  'listed',
  'saved',
  'noted',
] satisfies readonly News['type'][];

/** The screen after an event. Nothing else changes it; what has to be asked follows from it. */
export function reduce(state: State, event: ScreenEvent): State {
  return scrolled(changed(state, event));
}

function changed(state: State, event: ScreenEvent): State {
  if (NEWS.includes(event.type)) return reduceNews(state, event as News);
  const deed = event as Deed;
  const quiet = state.note === undefined ? state : { ...state, note: undefined };
  if (deed.type === 'interrupt') return { ...quiet, outcome: { type: 'left' } };
  if (quiet.overlay !== undefined) return reduceOverlay(quiet, quiet.overlay, deed, choose);
  return reduceMain(quiet, deed);
}

function reduceMain(state: State, deed: Deed): State {
  switch (deed.type) {
    case 'text':
      return opensHelp(state, deed.text)
        ? { ...state, overlay: { type: 'help' } }
        : typed(state, insert(state.line, deed.text));
    case 'edit':
      return typed(state, edit(state.line, deed.how));
    case 'move':
      return moved(state, deed);
    case 'scroll':
      return { ...state, previewTop: Math.max(0, state.previewTop + deed.by) };
    case 'complete':
      return completed(state, deed.sign);
    case 'enter':
      return taken(state);
    case 'escape':
      return state.completing?.at === undefined
        ? { ...state, outcome: { type: 'left' } }
        : { ...state, completing: undefined };
    case 'mark':
      return marked(state);
    case 'copy':
      return copied(state);
    case 'open':
      return opened(state, deed.what);
    case 'interrupt':
      return state;
  }
}

/** `?` where a word could begin asks for help; inside a word it is a wildcard. */
function opensHelp({ line }: State, text: string): boolean {
  return text === '?' && /(^|\s)$/.test(line.text.slice(0, line.at));
}

/** The line has changed: fields are on offer at once, values follow as news. */
function typed(state: State, line: EditLine): State {
  const place = completionPlace(line);
  const items =
    place === undefined
      ? []
      : fieldItems(
          place,
          state.index.fields.map((f) => f.name),
        );
  const completing =
    place === undefined || items.length === 0 ? undefined : { place, items, at: undefined };
  if (line.text === state.line.text) return { ...state, line, completing };
  return {
    ...state,
    line,
    completing,
    taking: false,
    cursor: 0,
    top: 0,
    previewTop: 0,
    limit: Math.max(20, state.rows),
  };
}

function moved(state: State, { by, sign }: Extract<Deed, { type: 'move' }>): State {
  const hits = state.answer?.hits.length ?? 0;
  const page = Math.max(1, state.rows - FRAME_ROWS - 1);
  const step = by === 'line' ? 1 : by === 'page' ? page : hits;
  const cursor = Math.max(0, Math.min(hits - 1, state.cursor + sign * step));
  const limit = cursor + page >= hits && hits > 0 ? grown(state, hits, page) : state.limit;
  return { ...state, cursor, limit, previewTop: 0 };
}

const MOST_HITS = 1000;

/** More hits are asked for before the cursor reaches the last one. */
function grown({ answer, limit }: State, hits: number, page: number): number {
  if (hits >= (answer?.total ?? 0)) return limit;
  return Math.min(MOST_HITS, Math.max(limit, hits + 2 * page));
}

/** Tab takes the first completion, again the next one in its place. */
function completed(state: State, sign: 1 | -1): State {
  const { completing, line } = state;
  if (completing === undefined || completing.items.length === 0) return state;
  const { items, place } = completing;
  const at =
    completing.at === undefined
      ? sign === 1
        ? 0
        : items.length - 1
      : (completing.at + sign + items.length) % items.length;
  const next = replace(line, place.from, line.at, items[at].insert);
  if (items.length === 1 && items[0].insert.endsWith(':')) return typed(state, next);
  return { ...typed(state, next), completing: { place, items, at } };
}

/** Keys that are marked, else the one under the cursor: never one of an answer to another line. */
function taken(state: State): State {
  if (state.marked.length > 0) return { ...state, outcome: { type: 'taken', keys: state.marked } };
  if (state.hint !== undefined) return { ...state, note: 'the query is not complete yet' };
  return taking({ ...state, taking: true });
}

function marked(state: State): State {
  const hit = selected(state);
  if (hit === undefined) return state;
  const key = keyText(hit);
  const without = state.marked.filter((other) => other !== key);
  const keys = without.length === state.marked.length ? [...without, key] : without;
  return moved({ ...state, marked: keys }, { type: 'move', by: 'line', sign: 1 });
}

function copied(state: State): State {
  const hit = selected(state);
  if (hit === undefined) return state;
  const text = keyText(hit);
  return { ...state, copied: { text, times: state.copied.times + 1 }, note: `copied ${text}` };
}

function opened(state: State, what: Extract<Deed, { type: 'open' }>['what']): State {
  const hit = selected(state);
  const query = state.answer?.widened ?? state.answer?.question.query ?? '*:*';
  switch (what) {
    case 'help':
      return { ...state, overlay: { type: 'help' } };
    case 'save':
      return { ...state, overlay: { type: 'save', name: lineOf('') } };
    case 'explain':
      if (hit === undefined) return { ...state, note: 'no hit to explain' };
      return { ...state, overlay: { type: 'explain', hit, query, lines: undefined, top: 0 } };
    case 'sort':
      return {
        ...state,
        overlay: { type: 'list', of: 'sort', choices: sortChoices(state.index.sortFields), at: 0 },
      };
    default:
      return { ...state, overlay: { type: 'list', of: what, choices: undefined, at: 0 } };
  }
}

function sortChoices(fields: readonly string[]): Choice[] {
  const choice = (label: string, sort: SortSpec | undefined): Choice => ({
    label,
    does: { type: 'sort', sort },
  });
  return [
    choice('relevance', undefined),
    ...fields.flatMap((field) => [
      choice(`${field}, falling`, { field, desc: true }),
      choice(`${field}, rising`, { field, desc: false }),
    ]),
  ];
}

/** What a list's choice does to the screen under it. */
function choose(state: State, { does }: Choice): State {
  const base: State = { ...state, overlay: undefined };
  switch (does.type) {
    case 'query':
      return { ...typed(base, lineOf(does.query)), sort: does.sort?.[0], completing: undefined };
    case 'clause':
      return {
        ...typed(base, lineOf(narrowed(base.line.text, does.clause))),
        completing: undefined,
      };
    case 'sort':
      return { ...base, sort: does.sort, cursor: 0, top: 0 };
  }
}

/** The query and one more thing that has to hold. */
function narrowed(query: string, clause: string): string {
  if (query.trim() === '') return clause;
  const alone = /^\S+$/.test(query.trim()) || /^[^()]* AND [^()]*$/.test(query.trim());
  return alone ? `${query.trim()} AND ${clause}` : `(${query.trim()}) AND ${clause}`;
}
