import type { SortSpec } from '@lakehouse-search/contract';
import { lineOf } from './edit-line.ts';
import type { Action } from './events.ts';
import { type Choice, listOverlay, type State, selected, shownQuestion } from './state.ts';

/** What is opened over the hits; lists other than that of orders are fetched. */
export function opened(state: State, what: Extract<Action, { type: 'open' }>['what']): State {
  switch (what) {
    case 'help':
      return { ...state, overlay: { type: 'help', top: 0 } };
    case 'save':
      return { ...state, overlay: { type: 'save', name: lineOf('') } };
    case 'explain': {
      const hit = selected(state);
      if (hit === undefined) return { ...state, note: 'no hit to explain' };
      const question = shownQuestion(state);
      return { ...state, overlay: { type: 'explain', hit, question, lines: undefined, top: 0 } };
    }
    case 'sort': {
      const choices = sortChoices(state);
      const at = choices.findIndex((choice) => choice.isOn);
      return { ...state, overlay: { type: 'list', of: 'sort', choices, typed: '', at } };
    }
    default:
      return { ...state, overlay: listOverlay(what) };
  }
}

function sortChoices({ index, sort }: State): Choice[] {
  const choice = (label: string, to: readonly SortSpec[]): Choice => ({
    label,
    isOn: JSON.stringify(to) === JSON.stringify(sort),
    does: { type: 'sort', sort: to },
  });
  const all = [
    choice('relevance', []),
    ...index.sortFields.flatMap((field) => [
      choice(`${field}, descending`, [{ field, desc: true }]),
      choice(`${field}, ascending`, [{ field, desc: false }]),
    ]),
  ];
  return all.some((one) => one.isOn) ? all : [{ ...choice(sortText(sort), sort) }, ...all];
}

/** `severity ↓, opened_at ↑`. */
export function sortText(sort: readonly SortSpec[]): string {
  return sort.map(({ field, desc }) => `${field} ${desc ? '↓' : '↑'}`).join(', ');
}

const AT_TOP = { cursor: 0, top: 0, previewTop: 0, taking: false, completing: undefined } as const;

/** What a list's choice does to the screen under it. */
export function choose(state: State, { does }: Choice): State {
  const base: State = { ...state, ...AT_TOP, overlay: undefined };
  switch (does.type) {
    case 'query':
      return { ...base, line: lineOf(does.query) };
    case 'restore': {
      const { query, ...rest } = does.restored;
      return { ...base, ...rest, line: lineOf(query) };
    }
    case 'filter': {
      const { filters } = state;
      const without = filters.filter((clause) => clause !== does.clause);
      const isNew = without.length === filters.length;
      return { ...base, filters: isNew ? [...filters, does.clause] : without };
    }
    case 'sort':
      return { ...base, sort: does.sort };
    case 'index':
      return does.name === state.index.name ? base : { ...state, opening: does.name };
    case 'refuse':
      return { ...state, note: does.why };
  }
}

/** The next search mode of the index, or the reason why there is only one. */
export function nextMode(state: State): State {
  const { modes, name, lexicalOnly } = state.index;
  if (modes.length < 2) {
    return { ...state, note: lexicalOnly ?? `${name} only has lexical search` };
  }
  const mode = modes[(modes.indexOf(state.mode) + 1) % modes.length];
  return { ...state, ...AT_TOP, mode };
}
