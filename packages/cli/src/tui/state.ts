import type {
  Coordinates,
  Facet,
  FieldDescription,
  Hit,
  JsonObject,
  SearchRequest,
  SortSpec,
} from '@lakehouse-search/engine';
import { formatKey } from '@lakehouse-search/engine';
import type { CompletionItem, CompletionPlace } from './completion.ts';
import { type EditLine, lineOf } from './edit-line.ts';

/** What the screen needs to know of the index. */
export interface ScreenIndex {
  readonly name: string;
  readonly fields: readonly FieldDescription[];
  readonly sortFields: readonly string[];
}
/** What is asked for: together they decide the hits. */
export interface Question {
  readonly query: string;
  readonly sort: SortSpec | undefined;
  readonly limit: number;
}
/** The newest answer, and the question that it answers. */
export interface Answer {
  readonly question: Question;
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly tookMs: number;
  readonly lag: number | null;
  /** The query that was run instead, where the one asked found nothing. */
  readonly widened?: string;
}
/** One choice of a list. */
export interface Choice {
  readonly label: string;
  readonly detail?: string;
  readonly does:
    | { readonly type: 'query'; readonly query: string; readonly sort?: readonly SortSpec[] }
    | { readonly type: 'clause'; readonly clause: string }
    | { readonly type: 'sort'; readonly sort: SortSpec | undefined };
}
/** What lies over the results. */
export type Overlay =
  | { readonly type: 'help' }
  | { readonly type: 'save'; readonly name: EditLine; readonly wanted?: string }
  | {
      readonly type: 'list';
      readonly of: 'facets' | 'sort' | 'saved' | 'history';
      /** Undefined while it is being fetched. */
      readonly choices: readonly Choice[] | undefined;
      readonly at: number;
    }
  | {
      readonly type: 'explain';
      readonly hit: Hit;
      readonly query: string;
      readonly lines: readonly string[] | undefined;
      readonly top: number;
    };
/** Completions on offer; `at` is undefined until Tab takes one. */
export interface Completing {
  readonly place: CompletionPlace;
  readonly items: readonly CompletionItem[];
  readonly at: number | undefined;
}
/** How it ended. */
export type Outcome =
  | { readonly type: 'taken'; readonly keys: readonly string[] }
  | { readonly type: 'left' };

/** All that the screen shows, as plain values; reduce.ts says how it changes. */
export interface State {
  readonly index: ScreenIndex;
  readonly columns: number;
  readonly rows: number;
  readonly line: EditLine;
  readonly sort: SortSpec | undefined;
  readonly limit: number;
  readonly answer: Answer | undefined;
  /** Why the line as it stands cannot be asked. */
  readonly hint: string | undefined;
  /** The question that the hint is about. */
  readonly refused: Question | undefined;
  readonly cursor: number;
  readonly top: number;
  /** Keys to take, as text, in the order marked. */
  readonly marked: readonly string[];
  readonly row: { readonly key: string; readonly fields: JsonObject } | undefined;
  readonly previewTop: number;
  readonly facets: { readonly query: string; readonly facets: readonly Facet[] } | undefined;
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

/** The screen before the first answer. */
export function initialState(
  index: ScreenIndex,
  size: { readonly columns: number; readonly rows: number },
  query = '',
): State {
  return {
    index,
    ...size,
    line: lineOf(query),
    sort: undefined,
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
    completing: undefined,
    overlay: undefined,
    note: undefined,
    copied: { text: '', times: 0 },
    taking: false,
    outcome: undefined,
  };
}

/** What the screen asks now. An empty line asks for everything. */
export function question({ line, sort, limit }: State): Question {
  return { query: line.text.trim() === '' ? '*:*' : line.text, sort, limit };
}

/** The wire request of a question. */
export function requestOf(index: string, { query, sort, limit }: Question): SearchRequest {
  const sorted = sort === undefined ? {} : { sort: [sort] };
  return { index, query, limit, highlight: { max_fragments: 1, fragment_size: 200 }, ...sorted };
}

/** Two questions with the same hits. */
export function sameQuestion(a: Question | undefined, b: Question): boolean {
  return (
    a !== undefined &&
    a.query === b.query &&
    a.limit === b.limit &&
    a.sort?.field === b.sort?.field &&
    a.sort?.desc === b.sort?.desc
  );
}

/** The line as it stands has been answered or refused: nothing newer is on its way. */
export function isSettled(state: State): boolean {
  const asked = question(state);
  return sameQuestion(state.answer?.question, asked) || sameQuestion(state.refused, asked);
}

/** The query whose hits are, or are about to be, on the screen. */
export function shownQuery(state: State): string {
  const { answer, hint } = state;
  const { query } = question(state);
  if (answer !== undefined && (hint !== undefined || answer.question.query === query)) {
    return answer.widened ?? answer.question.query;
  }
  return query;
}

/** The hit under the cursor. */
export function selected(state: State): Hit | undefined {
  return state.answer?.hits[state.cursor];
}

/** A hit's key as text: what Enter prints. */
export const keyText = (hit: { readonly coordinates: Coordinates }): string =>
  formatKey(hit.coordinates);

/** The answer is not one to the line as it stands. */
export function isStale(state: State): boolean {
  return state.hint !== undefined;
}

/** The fields that the facets pane counts: low in number of values by nature, at most four. */
export function facetFields(index: ScreenIndex): readonly string[] {
  const kinds = ['KEYWORD', 'BOOL', 'LONG'];
  const fast = index.fields.filter((f) => f.fast && kinds.includes(f.type));
  fast.sort((a, b) => kinds.indexOf(a.type) - kinds.indexOf(b.type));
  return fast.slice(0, 4).map((f) => f.name);
}

/** Whether a facet is worth a place: a number of which each row has another one is not. */
export function tells({ field, buckets, other_count }: Facet, { fields }: ScreenIndex): boolean {
  const type = fields.find((f) => f.name === field)?.type;
  return buckets.length > 0 && (type !== 'LONG' || other_count === 0);
}
