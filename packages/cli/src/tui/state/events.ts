import type { ClauseCount, Facet } from '@lakehouse-search/contract';
import type { CompletionItem, CompletionPlace } from '@lakehouse-search/contract/internal';
import type { LineEdit } from './edit-line.ts';
import type { Answer, Question, ScreenIndex } from './question.ts';
import type { Choice, ListKind, ShownRow } from './state.ts';

/** A keystroke or a click of the user. */
export type Action =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'edit'; readonly how: LineEdit }
  | { readonly type: 'move'; readonly by: 'line' | 'page' | 'all'; readonly sign: 1 | -1 }
  | { readonly type: 'scroll'; readonly by: number }
  | { readonly type: 'complete'; readonly sign: 1 | -1 }
  /** `column` and `row` begin at 1. */
  | { readonly type: 'click'; readonly column: number; readonly row: number }
  | { readonly type: 'wheel'; readonly sign: 1 | -1; readonly column: number }
  | { readonly type: 'enter' | 'escape' | 'interrupt' | 'mark' | 'copy' | 'mode' }
  | { readonly type: 'open'; readonly what: 'help' | 'explain' | 'save' | ListKind };

/** A response of the backend, or a change of the terminal. */
export type Event =
  | { readonly type: 'resized'; readonly columns: number; readonly rows: number }
  | { readonly type: 'answered'; readonly answer: Answer }
  | {
      readonly type: 'refused';
      readonly question: Question;
      readonly message: string;
      /** The answer to the complete part of the line. */
      readonly instead?: Answer;
    }
  | { readonly type: 'row'; readonly row: ShownRow }
  | { readonly type: 'faceted'; readonly question: Question; readonly facets: readonly Facet[] }
  | {
      readonly type: 'counted';
      readonly question: Question;
      readonly clauses: readonly ClauseCount[];
      /** The line that was probably meant. */
      readonly suggested: string | undefined;
      /** Why there are no hits. */
      readonly notes?: readonly string[];
    }
  | {
      readonly type: 'suggested';
      readonly place: CompletionPlace;
      readonly items: readonly CompletionItem[];
    }
  | { readonly type: 'explained'; readonly key: string; readonly lines: readonly string[] }
  | {
      readonly type: 'listed';
      readonly of: ListKind;
      readonly choices: readonly Choice[];
    }
  | { readonly type: 'opened'; readonly index: ScreenIndex }
  | { readonly type: 'saved'; readonly name: string }
  | { readonly type: 'noted'; readonly note: string };

/** Everything that changes the state of the screen. */
export type ScreenInput = Action | Event;
