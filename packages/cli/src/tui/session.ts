import type { Backend } from '@lakehouse-search/engine';
import { ask, explanation, listChoices, refusal, suggestItems } from './asks.ts';
import { completionPlace } from './completion.ts';
import type { ScreenEvent } from './events.ts';
import { Lane } from './lane.ts';
import { reduce } from './reduce.ts';
import {
  facetFields,
  isSettled,
  keyText,
  type Overlay,
  type Question,
  question,
  requestOf,
  type State,
  sameQuestion,
  selected,
  shownQuery,
} from './state.ts';

/** Where past queries are kept. */
export interface QueryHistory {
  read(): Promise<readonly string[]>;
  add(query: string): Promise<void>;
}

/**
 * Keeps the state, and asks the backend what the state wants: 1. hits of the line, 2. then values
 * for completion, facets and the row under the cursor. Each kind is asked one at a time and only
 * for the newest state.
 */
export class Session {
  readonly #backend: Backend;
  readonly #history: QueryHistory;
  readonly #listeners = new Set<() => void>();
  readonly #search = new Lane();
  readonly #row = new Lane();
  readonly #facets = new Lane();
  readonly #suggest = new Lane();
  #state: State;
  #asked: Question | undefined;
  #rowAsked: string | undefined;
  #facetsAsked: string | undefined;

  constructor(backend: Backend, history: QueryHistory, state: State) {
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
  }

  /** Changes the state, and asks what it now wants. */
  readonly dispatch = (event: ScreenEvent): void => {
    const before = this.#state;
    this.#state = reduce(before, event);
    if (this.#state === before) return;
    for (const listener of this.#listeners) listener();
    if (this.#state.outcome !== undefined) return;
    this.#askHits();
    if (this.#state.line !== before.line) this.#askValues();
    if (event.type !== 'row' && event.type !== 'faceted') this.#askRow();
    this.#askFacets();
    const { overlay } = this.#state;
    if (overlay !== undefined && overlay !== before.overlay) this.#askOverlay(overlay, before);
  };

  #askHits(): void {
    const wanted = question(this.#state);
    if (sameQuestion(this.#asked, wanted)) return;
    this.#asked = wanted;
    this.#search.want(async () => {
      await settled();
      if (!sameQuestion(this.#asked, wanted)) return;
      try {
        const answer = await ask(this.#backend, this.#state.index, wanted);
        this.dispatch({ type: 'answered', answer });
      } catch (error) {
        this.dispatch({ type: 'refused', question: wanted, message: refusal(error) });
      }
    });
  }

  #askValues(): void {
    const place = completionPlace(this.#state.line);
    if (place === undefined) {
      this.#suggest.clear();
      return;
    }
    this.#suggest.want(async () => {
      await settled();
      const items = await suggestItems(this.#backend, this.#state.index, place);
      this.dispatch({ type: 'suggested', place, items });
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
      const fields = answer?.rows[0]?.fields;
      if (fields !== undefined) this.dispatch({ type: 'row', key, fields });
    });
  }

  #askFacets(): void {
    const { index } = this.#state;
    const fields = facetFields(index);
    if (fields.length === 0 || !isSettled(this.#state)) return;
    const query = shownQuery(this.#state);
    if (query === this.#facetsAsked) return;
    this.#facetsAsked = query;
    this.#facets.want(async () => {
      await paused();
      if (!isSettled(this.#state)) {
        this.#facetsAsked = undefined;
        return;
      }
      const request = { index: index.name, query, fields, size: 8 };
      const found = await this.#backend.facets(request).catch(() => undefined);
      if (found !== undefined) this.dispatch({ type: 'faceted', query, facets: found.facets });
    });
  }

  #askOverlay(overlay: Overlay, before: State): void {
    const opened = overlay.type !== before.overlay?.type;
    const told = (error: unknown) => this.dispatch({ type: 'noted', note: refusal(error) });
    if (overlay.type === 'explain' && opened) {
      explanation(this.#backend, this.#state, overlay)
        .then((lines) => this.dispatch({ type: 'explained', key: keyText(overlay.hit), lines }))
        .catch(told);
    } else if (overlay.type === 'list' && opened && overlay.of !== 'sort') {
      this.#list(overlay, overlay.of).catch(told);
    } else if (overlay.type === 'save' && overlay.wanted !== undefined) {
      this.#save(overlay.wanted).catch(told);
    }
  }

  async #list(
    overlay: Extract<Overlay, { type: 'list' }>,
    of: 'facets' | 'saved' | 'history',
  ): Promise<void> {
    const history = of === 'history' ? await this.#history.read() : [];
    const choices = await listChoices(this.#backend, this.#state, overlay, history);
    this.dispatch({ type: 'listed', of, choices });
  }

  async #save(name: string): Promise<void> {
    const { index, sort } = this.#state;
    const { query } = question(this.#state);
    const {
      highlight: _,
      limit: __,
      ...request
    } = requestOf(index.name, { query, sort, limit: 0 });
    await this.#backend.createSavedQuery({ name, request });
    this.dispatch({ type: 'saved', name });
  }

  /** Keeps the query that led to a choice. */
  async remember(): Promise<void> {
    const { query } = question(this.#state);
    if (query !== '*:*') await this.#history.add(query).catch(() => undefined);
  }
}

/** After what is waiting: a key that has been pressed meanwhile comes first. */
const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

const PAUSE_MS = 30;

/** After a moment in which nobody types: what stands beside the hits never delays a key. */
const paused = (): Promise<void> => new Promise((done) => setTimeout(done, PAUSE_MS));
