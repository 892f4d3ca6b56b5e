import {
  type BackendApi,
  completePart,
  completionPlace,
  valueItems,
} from '@lakehouse-search/contract/internal';
import { LatestQueue } from './latest-queue.ts';
import { listChoices, saveQuestion, screenIndex } from './lists.ts';
import { explanation, facetsOf, refusal, requestPage } from './requests.ts';
import type { ScreenInput } from './state/events.ts';
import {
  type Answer,
  keptRequest,
  modeOf,
  type Question,
  type ScreenIndex,
  sameQuestion,
} from './state/question.ts';
import { reduce } from './state/reduce.ts';
import {
  ADVICE,
  facetQuestion,
  isProse,
  isSettled,
  keyText,
  type ListKind,
  type Overlay,
  question,
  type State,
  selected,
} from './state/state.ts';

/** Stores past queries. */
export interface QueryHistory {
  read(index: string): Promise<readonly string[]>;
  add(index: string, query: string): Promise<void>;
}

/**
 * Holds the state and requests what it needs from the backend: first the hits of the line, then
 * values for completion, facets and the row under the cursor. Each kind has one request at a time,
 * for the newest state.
 */
export class Session {
  readonly #backend: BackendApi;
  readonly #history: QueryHistory;
  readonly #listeners = new Set<() => void>();
  readonly #search = new LatestQueue();
  readonly #row = new LatestQueue();
  readonly #facets = new LatestQueue();
  readonly #suggest = new LatestQueue();
  readonly #clauses = new LatestQueue();
  #state: State;
  #asked: Question | undefined;
  #askedOf: ScreenIndex | undefined;
  /** Milliseconds of the last answer. */
  #took = 0;
  #rowAsked: string | undefined;
  #facetsAsked: Question | undefined;

  constructor(backend: BackendApi, history: QueryHistory, state: State) {
    this.#backend = backend;
    this.#history = history;
    this.#state = state;
  }

  get state(): State {
    return this.#state;
  }

  /** Calls the listener after every change, until the function that comes back is called. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): State => this.#state;

  /** Asks for what the first screen wants. */
  start(): void {
    this.#askHits();
    const { overlay } = this.#state;
    if (overlay?.type === 'list') this.#list(overlay.of).catch(this.#told);
  }

  /** Changes the state and sends the request that the new state needs. */
  readonly dispatch = (input: ScreenInput): void => {
    const before = this.#state;
    this.#state = reduce(before, input);
    if (this.#state === before) return;
    for (const listener of this.#listeners) listener();
    if (this.#state.outcome !== undefined) return;
    const { opening } = this.#state;
    if (opening !== undefined && opening !== before.opening) this.#open(opening);
    this.#askHits();
    if (TYPING.includes(input.type) && this.#state.line !== before.line) this.#askValues();
    if (input.type !== 'row' && input.type !== 'faceted') this.#askRow();
    if (input.type === 'answered') this.#askClauses(input.answer);
    this.#askFacets();
    const { overlay } = this.#state;
    if (overlay !== undefined && before.overlay === undefined) this.#suggest.clear();
    if (overlay !== undefined && overlay !== before.overlay) this.#askOverlay(overlay, before);
  };

  #askHits(): void {
    const wanted = question(this.#state);
    const { index } = this.#state;
    if (index.name === '') return;
    if (index === this.#askedOf && sameQuestion(this.#asked, wanted)) return;
    this.#asked = wanted;
    this.#askedOf = index;
    this.#search.want(async () => {
      await (this.#took > SLOW_MS && modeOf(wanted) !== 'lexical' ? paused(TYPING_MS) : settled());
      if (index !== this.#askedOf || !sameQuestion(this.#asked, wanted)) return;
      const began = performance.now();
      const event = await requestPage(this.#backend, index, wanted).then(
        (answer) => ({ type: 'answered', answer }) as const,
        (error) => this.#refused(index, wanted, refusal(error)),
      );
      this.#took = performance.now() - began;
      if (index === this.#state.index) this.dispatch(event);
    });
  }

  /** A refusal, with the hits of the line's complete part if other ones are on the screen. */
  async #refused(index: ScreenIndex, asked: Question, message: string): Promise<ScreenInput> {
    const refused = { type: 'refused', question: asked, message } as const;
    const part = modeOf(asked) === 'lexical' ? completePart(asked.query) : '';
    const shown = this.#state.answer?.question.query;
    if (part === '' || (shown !== undefined && asked.query.startsWith(shown))) return refused;
    const question = { ...asked, query: part };
    const instead = await requestPage(this.#backend, index, question).catch(() => undefined);
    return instead === undefined ? refused : { ...refused, instead };
  }

  #askValues(): void {
    const { line } = this.#state;
    const place = isProse(this.#state) ? undefined : completionPlace(line);
    if (place === undefined) {
      this.#suggest.clear();
      return;
    }
    this.#suggest.want(async () => {
      await settled();
      const items = await valueItems(this.#backend, this.#state.index, place);
      const { line: now, overlay } = this.#state;
      if (now === line && overlay === undefined) this.dispatch({ type: 'suggested', place, items });
    });
  }

  /** The whole row of the hit under the cursor; what is cached is shown until it comes. */
  #askRow(): void {
    const hit = selected(this.#state);
    if (hit === undefined || !isSettled(this.#state)) return;
    const key = keyText(hit);
    if (key === this.#rowAsked) return;
    this.#rowAsked = key;
    this.#row.want(async () => {
      await paused();
      if (!isSettled(this.#state)) {
        this.#rowAsked = undefined;
        return;
      }
      const request = { index: this.#state.index.name, keys: [hit.coordinates] };
      const answer = await this.#backend.getKeys(request).catch(() => undefined);
      const row = answer?.rows[0];
      if (row !== undefined && request.index === this.#state.index.name)
        this.dispatch({ type: 'row', row: { ...row, key } });
    });
  }

  /** If a lexical search finds nothing: the hits of each clause by itself. */
  #askClauses({ question: asked, total }: Answer): void {
    const { index } = this.#state;
    if (total > 0 || modeOf(asked) !== 'lexical') return;
    this.#clauses.want(async () => {
      await paused();
      if (!sameQuestion(asked, question(this.#state)) || index !== this.#state.index) return;
      const request = keptRequest(index.name, asked);
      const meant = { ...request, suggest: true, limit: 1 };
      const answer = await this.#backend.search(meant).catch(() => undefined);
      const { clauses = [], suggested_query: suggested, notes = [] } = answer ?? {};
      this.dispatch({ type: 'counted', question: asked, clauses, suggested, notes });
    });
  }

  #askFacets(): void {
    const { index } = this.#state;
    const fields = index.facetFields;
    if (fields.length === 0 || !isSettled(this.#state)) return;
    const shown = facetQuestion(this.#state);
    if (sameQuestion(this.#facetsAsked, shown)) return;
    this.#facetsAsked = shown;
    this.#facets.want(async () => {
      await paused(ASIDE_MS);
      if (!isSettled(this.#state)) {
        this.#facetsAsked = undefined;
        return;
      }
      const facets = await facetsOf(this.#backend, index, shown, fields, 8).catch(() => undefined);
      if (facets === undefined || index !== this.#state.index) return;
      this.dispatch({ type: 'faceted', question: shown, facets });
    });
  }

  #askOverlay(overlay: Overlay, before: State): void {
    const opened = overlay.type !== before.overlay?.type;
    if (overlay.type === 'explain' && opened) {
      explanation(this.#backend, this.#state, overlay)
        .then((lines) => this.dispatch({ type: 'explained', key: keyText(overlay.hit), lines }))
        .catch(this.#told);
    } else if (overlay.type === 'list' && opened && overlay.of !== 'sort') {
      this.#list(overlay.of).catch(this.#told);
    } else if (overlay.type === 'save' && overlay.wanted !== undefined) {
      const { wanted: name } = overlay;
      saveQuestion(this.#backend, this.#state, name)
        .then(() => this.dispatch({ type: 'saved', name }))
        .catch(this.#told);
    }
  }

  readonly #told = (error: unknown) =>
    this.dispatch({ type: 'noted', note: refusal(error).replace(ADVICE, '; ') });

  async #list(of: ListKind): Promise<void> {
    const { name } = this.#state.index;
    const history = of === 'history' ? await this.#history.read(name) : [];
    const choices = await listChoices(this.#backend, this.#state, of, history);
    this.dispatch({ type: 'listed', of, choices });
  }

  /** Describes the index that was chosen, and puts it in the place of the one that is shown. */
  #open(name: string): void {
    screenIndex(this.#backend, name)
      .then((index) => {
        this.#rowAsked = undefined;
        this.#facetsAsked = undefined;
        this.dispatch({ type: 'opened', index });
      })
      .catch(this.#told);
  }

  /** Keeps a query that led to a choice or had hits. */
  async remember(): Promise<void> {
    const { index, line, outcome, answer } = this.#state;
    const isUseful = outcome?.type === 'taken' || (isSettled(this.#state) && answer?.total !== 0);
    if (line.text.trim() === '' || !isUseful || this.#state.hint !== undefined) return;
    await this.#history.add(index.name, line.text).catch(() => undefined);
  }
}

/** Deeds after which values are on offer: lines that were chosen from a list are whole. */
const TYPING: readonly ScreenInput['type'][] = ['text', 'edit', 'complete'];

/** After what is waiting: a key that has been pressed meanwhile comes first. */
const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

const PAUSE_MS = 30;
/** Facets look at all hits: a key that is about to come should not meet them. */
const ASIDE_MS = 80;
/** A model that takes longer than this runs only when the typing pauses. */
const SLOW_MS = 50;
const TYPING_MS = 150;

/** Delay before facets and previews are requested, so that they never delay a key. */
const paused = (ms = PAUSE_MS): Promise<void> => new Promise((done) => setTimeout(done, ms));
