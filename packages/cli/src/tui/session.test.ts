import { LhsError, type SearchRequest, type SearchResponse } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it, vi } from 'vitest';
import { Session } from './session.ts';
import { initialState } from './state/state.ts';
import { screenLines } from './view/screen.ts';

const INDEX = {
  name: 'x',
  fields: [
    { name: 'title', type: 'TEXT', indexed: true, fast: false, cached: true, source: ['title'] },
    { name: 'n', type: 'LONG', indexed: true, fast: true, cached: true, source: ['n'] },
  ],
  sortFields: [],
  facetFields: [],
  rowTexts: [],
  modes: ['lexical'] as const,
};

/** A backend whose searches end when the test says so. */
async function slowBackend(more: object = {}) {
  const asked: {
    readonly query: string;
    readonly suggest: boolean;
    end(total: number, more?: Partial<SearchResponse>): void;
    fail(hint?: string): void;
  }[] = [];
  const search = ({ query = '', suggest = false }: SearchRequest) =>
    new Promise((done, failed) => {
      const hits = (n: number) =>
        Array.from({ length: n }, (_, i) => ({
          coordinates: { identifier: [{ name: 'id', value: `${query}${i}` }] },
          score: 1,
        }));
      asked.push({
        query,
        suggest,
        end: (total, more) =>
          done({ hits: hits(total), total, took_ms: 1, lag_snapshots: 0, ...more }),
        fail: (hint?: string) => failed(new LhsError('invalid_query', 'no clause', { hint })),
      });
    });
  const backend = {
    search,
    suggest: async () => ({ suggestions: [] }),
    getKeys: async () => ({ rows: [] }),
    ...more,
  } as unknown as BackendApi;
  const history = { read: async () => [], add: async () => undefined };
  const session = new Session(backend, history, initialState(INDEX, { columns: 80, rows: 24 }));
  const type = (text: string) => session.dispatch({ type: 'text', text });
  session.start();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  return { asked, session, type };
}

describe('a session of the screen', () => {
  it('sends one request at a time, then only the newest of those typed meanwhile', async () => {
    const { asked, session, type } = await slowBackend();
    for (const letter of 'abc') type(letter);
    expect(asked.map(({ query }) => query)).toEqual(['*:*']);
    asked[0].end(3);
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    expect(asked[1].query).toBe('(abc OR abc*)');
    expect(session.state.answer).toBeUndefined();
    asked[1].end(2);
    await vi.waitFor(() => expect(session.state.answer?.total).toBe(2));
  });

  it('takes the last word as a prefix and joins clauses of fields', async () => {
    const { asked, session, type } = await slowBackend();
    asked[0].end(3);
    type('kind:a tim');
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    expect(asked[1].query).toBe('(tim OR tim*) AND kind:a');
    asked[1].end(5);
    await vi.waitFor(() => expect(session.state.answer?.ran).toBe('(tim OR tim*) AND kind:a'));
    expect(session.state.answer?.question.query).toBe('kind:a tim');
  });

  it('runs the line as it is if the prefix is refused', async () => {
    const { asked, session, type } = await slowBackend();
    asked[0].end(3);
    type('kind:a');
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    asked[1].fail();
    await vi.waitFor(() => expect(asked).toHaveLength(3));
    expect(asked[2].query).toBe('kind:a');
    asked[2].end(1);
    await vi.waitFor(() => expect(session.state.answer?.total).toBe(1));
    expect(session.state.answer?.ran).toBeUndefined();
  });

  it('shows the hits of the complete part of a pasted line', async () => {
    const { asked, session, type } = await slowBackend();
    type('tent AND');
    asked[0].end(3);
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    asked[1].fail();
    await vi.waitFor(() => expect(asked).toHaveLength(3));
    expect(asked[2].query).toBe('(tent OR tent*)');
    asked[2].end(2);
    await vi.waitFor(() => expect(session.state.answer?.total).toBe(2));
    expect(session.state.hint).toBe('no clause');
    session.dispatch({ type: 'enter' });
    expect(session.state.outcome).toBeUndefined();
  });

  it('offers the values of numbers, most frequent first', async () => {
    const { asked, session, type } = await slowBackend({
      facets: async () => ({
        facets: [
          {
            field: 'n',
            buckets: [
              { value: '2', count: 9 },
              { value: '13', count: 4 },
            ],
          },
        ],
      }),
    });
    asked[0].end(3);
    type('n:');
    await vi.waitFor(() =>
      expect(session.state.completing?.items).toEqual([
        { label: '2', insert: '2', count: 9 },
        { label: '13', insert: '13', count: 4 },
      ]),
    );
    session.dispatch({ type: 'complete', sign: 1 });
    expect(session.state.line.text).toBe('n:2');
  });

  it('shows the count of each clause if a query has no hits', async () => {
    const { asked, session, type } = await slowBackend();
    asked[0].end(3);
    type('tim ');
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    asked[1].end(0);
    await vi.waitFor(() => expect(asked).toHaveLength(3));
    expect(asked[2]).toMatchObject({ query: 'tim ', suggest: true });
    const clauses = [{ clause: 'tim', total: 0, suggestion: 'time', suggestion_total: 2 }];
    asked[2].end(0, { clauses, suggested_query: 'time' });
    await vi.waitFor(() => expect(session.state.clauses).toHaveLength(1));
    const { state } = session;
    const shown = screenLines(state).map((line) => line.map(({ text }) => text).join(''));
    expect(shown.join('\n')).toContain('  tim  0  did you mean time? 2 hits');
    expect(shown.join('\n')).toContain('Enter searches for time');
    type('x');
    await vi.waitFor(() => expect(asked).toHaveLength(4));
    asked[3].end(1);
    await vi.waitFor(() => expect(session.state.clauses).toBeUndefined());
  });

  it('shows a parse error above the last hits', async () => {
    const { asked, session, type } = await slowBackend();
    asked[0].end(3);
    await vi.waitFor(() => expect(session.state.answer?.total).toBe(3));
    type('(');
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    asked[1].fail();
    await vi.waitFor(() => expect(session.state.hint).toBe('no clause'));
    expect(session.state.answer?.total).toBe(3);
  });

  it('shows the nearest name below the line', async () => {
    const { asked, session, type } = await slowBackend();
    asked[0].end(3);
    await vi.waitFor(() => expect(session.state.answer?.total).toBe(3));
    type('titel:a');
    for (const at of [1, 2]) {
      await vi.waitFor(() => expect(asked).toHaveLength(at + 1));
      asked[at].fail('did you mean "title"?\nfields: title');
    }
    await vi.waitFor(() => expect(session.state.hint).toBeDefined());
    const shown = screenLines(session.state).map((line) => line.map(({ text }) => text).join(''));
    expect(shown[0]).toMatch(/ no clause $/);
    expect(shown[1].trim()).toBe('did you mean "title"?');
  });

  it('keeps filter, sort and page in semantic mode, for facets and explanations too', async () => {
    const asked: Record<string, object[]> = { search: [], semantic: [], hybrid: [], explain: [] };
    const found = {
      ...{ hits: [{ coordinates: { identifier: [{ name: 'id', value: '1' }] }, score: 1 }] },
      ...{ total: 1, took_ms: 1, lag_snapshots: 0, facets: [] },
    };
    const answers = (name: string) => async (request: object) => {
      asked[name].push(request);
      return name === 'explain' ? { analyzed: [] } : found;
    };
    const backend = {
      ...Object.fromEntries(Object.keys(asked).map((name) => [name, answers(name)])),
      getKeys: async () => ({ rows: [] }),
    } as unknown as BackendApi;
    const fields = [
      ...INDEX.fields,
      { ...INDEX.fields[0], name: 'kind', type: 'KEYWORD', fast: true, source: ['kind'] },
    ];
    const modes = ['lexical', 'semantic', 'hybrid'] as const;
    const index = { ...INDEX, fields, modes, vectorField: 'about', facetFields: ['kind'] };
    const state = {
      ...initialState(index, { columns: 120, rows: 40 }),
      filters: ['kind:a', 'b OR c'],
      sort: [{ field: 'kind', desc: true }],
    };
    const history = { read: async () => [], add: async () => undefined };
    const session = new Session(backend, history, state);
    session.dispatch({ type: 'mode' });
    await vi.waitFor(() => expect(asked.search).toHaveLength(1));
    session.dispatch({ type: 'text', text: 'out (of' });
    const request = {
      index: 'x',
      query_text: 'out (of',
      vector_field: 'about',
      filter: 'kind:a AND (b OR c)',
      sort: [{ field: 'kind', desc: true }],
    };
    const { sort: _, ...unsorted } = request;
    await vi.waitFor(() => expect(asked.semantic).toHaveLength(2));
    const page = { limit: 40, highlight: { matched: true, max_fragments: 1, fragment_size: 200 } };
    expect(asked.semantic[0]).toEqual({ ...request, ...page });
    expect(asked.semantic[1]).toEqual({
      ...{ ...unsorted, limit: 1 },
      facets: { fields: ['kind'], size: 8 },
    });
    session.dispatch({ type: 'mode' });
    await vi.waitFor(() => expect(asked.hybrid.length).toBeGreaterThan(0));
    expect(asked.hybrid[0]).toEqual({ ...request, ...page });
    await vi.waitFor(() => expect(session.state.answer?.question.mode).toBe('hybrid'));
    session.dispatch({ type: 'open', what: 'explain' });
    await vi.waitFor(() => expect(asked.explain).toHaveLength(1));
    expect(asked.explain[0]).toMatchObject({ ...request, mode: 'hybrid', limit: 40 });
  });
});
