import type {
  ClauseCount,
  Coordinates,
  Facet,
  Hit,
  KeyRow,
  SearchMode,
  SortSpec,
} from '@lakehouse-search/contract';
import type { CompletionItem, CompletionPlace } from '@lakehouse-search/contract/internal';
import { formatKey } from '@lakehouse-search/engine';
import { type EditLine, lineOf } from './edit-line.ts';
import {
  type Answer,
  EVERYTHING,
  type Kept,
  type Question,
  type Restored,
  type ScreenIndex,
  sameQuestion,
} from './question.ts';

/** One choice of a list. */
export interface Choice {
  readonly label: string;
  readonly detail?: string;
  /** It applies already. */
  readonly isOn?: boolean;
  readonly does:
    | { readonly type: 'query'; readonly query: string }
    | { readonly type: 'restore'; readonly name: string; readonly restored: Restored }
    | { readonly type: 'filter'; readonly clause: string }
    | { readonly type: 'sort'; readonly sort: readonly SortSpec[] }
    | { readonly type: 'index'; readonly name: string }
    | { readonly type: 'refuse'; readonly why: string };
}
/** What a list over the results is of. */
export type ListKind = 'facets' | 'sort' | 'saved' | 'history' | 'indexes';

/** The list or page that covers the results. */
export type Overlay =
  | { readonly type: 'help'; readonly top: number }
  | { readonly type: 'save'; readonly name: EditLine; readonly wanted?: string }
  | {
      readonly type: 'list';
      readonly of: ListKind;
      /** Undefined while it is being fetched. */
      readonly choices: readonly Choice[] | undefined;
      /** Only choices that contain this text are shown. */
      readonly typed: string;
      readonly at: number;
    }
  | {
      readonly type: 'explain';
      readonly hit: Hit;
      readonly question: Question;
      readonly lines: readonly string[] | undefined;
      readonly top: number;
    };
/** Completions on offer; `at` is undefined until Tab takes one. */
export interface Completing {
  readonly place: CompletionPlace;
  readonly items: readonly CompletionItem[];
  readonly at: number | undefined;
}
/** A row of the table, by the text of its key. */
export type ShownRow = Omit<KeyRow, 'key'> & { readonly key: string };
/** How it ended. */
export type Outcome =
  | { readonly type: 'taken'; readonly keys: readonly string[] }
  | { readonly type: 'left' };

/** Everything that the screen shows, as plain values. reduce.ts changes it. */
export interface State {
  readonly index: ScreenIndex;
  /** The index that is to be opened in its place. */
  readonly opening: string | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly line: EditLine;
  readonly mode: SearchMode;
  readonly filters: readonly string[];
  readonly sort: readonly SortSpec[];
  readonly kept: Kept;
  readonly limit: number;
  readonly answer: Answer | undefined;
  /** Why the current line is not valid; what would be right follows ADVICE. */
  readonly hint: string | undefined;
  /** The question that the hint is about. */
  readonly refused: Question | undefined;
  readonly cursor: number;
  readonly top: number;
  /** Keys to take, as text, in the order marked. */
  readonly marked: readonly string[];
  readonly row: ShownRow | undefined;
  readonly previewTop: number;
  /** The newest ones, and what they were counted for. */
  readonly facets: { readonly question: Question; readonly facets: readonly Facet[] } | undefined;
  /** For a response without hits: the hits of each clause by itself. */
  readonly clauses: readonly ClauseCount[] | undefined;
  /** And the line that was probably meant, which Enter searches for. */
  readonly suggested: string | undefined;
  readonly completing: Completing | undefined;
  readonly overlay: Overlay | undefined;
  /** A word about what has just been done. */
  readonly note: string | undefined;
  /** A text for the terminal's clipboard, and how many there have been. */
  readonly copied: { readonly text: string; readonly times: number };
  /** Enter was pressed before the answer to the line was here: it takes from that answer. */
  readonly taking: boolean;
  readonly outcome: Outcome | undefined;
}

/** Rows around the hits: the query, the line below it, and two at the foot. */
export const FRAME_ROWS = 4;

/** Stands between what is wrong with a line and what would be right. */
export const ADVICE = '\n';

/** No index yet: the screen begins with the choice of one. */
export const NO_INDEX: ScreenIndex = Object.freeze({
  name: '',
  fields: [],
  sortFields: [],
  facetFields: [],
  rowTexts: [],
  modes: ['lexical'] as const,
});

/** The screen before the first answer. */
export function initialState(
  index: ScreenIndex,
  size: { readonly columns: number; readonly rows: number },
  query = '',
): State {
  return {
    index,
    opening: undefined,
    ...size,
    line: lineOf(query),
    mode: 'lexical',
    filters: [],
    sort: [],
    kept: {},
    limit: Math.max(20, size.rows),
    answer: undefined,
    hint: undefined,
    refused: undefined,
    cursor: 0,
    top: 0,
    marked: [],
    row: undefined,
    previewTop: 0,
    facets: undefined,
    clauses: undefined,
    suggested: undefined,
    completing: undefined,
    overlay: index.name === '' ? listOverlay('indexes') : undefined,
    note: undefined,
    copied: { text: '', times: 0 },
    taking: false,
    outcome: undefined,
  };
}

/** A list that is to be fetched. */
export function listOverlay(of: ListKind): Overlay {
  return { type: 'list', of, choices: undefined, typed: '', at: 0 };
}

/** The current question. An empty line matches everything. */
export function question({ line, mode, filters, sort, kept, limit }: State): Question {
  const query = line.text.trim() === '' ? EVERYTHING : line.text;
  return { mode, query, filters, sort, kept, limit };
}

/** Whether the current line has been answered or refused, with no newer request pending. */
export function isSettled(state: State): boolean {
  const asked = question(state);
  return sameQuestion(state.answer?.question, asked) || sameQuestion(state.refused, asked);
}

/** The question whose hits are, or are about to be, on the screen. */
export function shownQuestion(state: State): Question {
  const { answer } = state;
  if (answer === undefined || !isSettled(state)) return question(state);
  return { ...answer.question, query: answer.ran ?? answer.question.query };
}

/** What is typed is a text to be compared, not a query in its syntax. */
export function isProse({ mode }: Pick<State, 'mode'>): boolean {
  return mode !== 'lexical';
}

/** What facets are counted for: all hits, in whatever order. */
export function facetQuestion(state: State): Question {
  return { ...shownQuestion(state), limit: 0, sort: [] };
}

/** The hit under the cursor. */
export function selected(state: State): Hit | undefined {
  return state.answer?.hits[state.cursor];
}

/** A hit's key as text: what Enter prints. */
export const keyText = (hit: { readonly coordinates: Coordinates }): string =>
  formatKey(hit.coordinates);

/** Whether the response belongs to an earlier line. */
export function isStale(state: State): boolean {
  return state.hint !== undefined;
}

/** The choices of a list that contain the typed text. */
export function choicesShown({
  choices = [],
  typed,
}: Extract<Overlay, { type: 'list' }>): readonly Choice[] {
  const wanted = typed.toLowerCase();
  return choices.filter(({ label, detail = '' }) =>
    `${label} ${detail}`.toLowerCase().includes(wanted),
  );
}
