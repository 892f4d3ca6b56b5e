import { type Backend, LhsError, type SearchRequest } from '@lakehouse-search/contract';
import { describe, expect, it, vi } from 'vitest';
import { screenLines } from './screen.ts';
import { Session } from './session.ts';
import { initialState } from './state.ts';

const INDEX = {
  name: 'x',
  fields: [
    { name: 'title', type: 'TEXT', indexed: true, fast: false, cached: true, source: ['title'] },
  ],
  sortFields: [],
  modes: ['lexical'] as const,
};

/** A backend whose searches end when the test says so. */
async function slowBackend() {
  const asked: { readonly query: string; end(total: number): void; fail(): void }[] = [];
  const search = ({ query = '' }: SearchRequest) =>
    new Promise((done, failed) => {
      const hits = (n: number) =>
        Array.from({ length: n }, (_, i) => ({
          coordinates: { identifier: [{ name: 'id', value: `${query}${i}` }] },
          score: 1,
        }));
      asked.push({
        query,
        end: (total) => done({ hits: hits(total), total, took_ms: 1, lag_snapshots: 0 }),
        fail: () => failed(new LhsError('invalid_query', 'no clause')),
      });
    });
  const backend = {
    search,
    clauseCounts: async () => [{ clause: 'tim', total: 0, suggestion: 'time' }],
    suggest: async () => ({ suggestions: [] }),
    getKeys: async () => ({ rows: [] }),
  } as unknown as Backend;
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
    expect(asked[1].query).toBe('abc');
    expect(session.state.answer).toBeUndefined();
    asked[1].end(2);
    await vi.waitFor(() => expect(session.state.answer?.total).toBe(2));
  });

  it('searches by prefix if the last word has no hits', async () => {
    const { asked, session, type } = await slowBackend();
    asked[0].end(3);
    type('tim');
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    asked[1].end(0);
    await vi.waitFor(() => expect(asked).toHaveLength(3));
    expect(asked[2].query).toBe('tim*');
    asked[2].end(5);
    await vi.waitFor(() => expect(session.state.answer?.widened).toBe('tim*'));
  });

  it('shows the count of each clause if a query has no hits', async () => {
    const { asked, session, type } = await slowBackend();
    asked[0].end(3);
    type('tim ');
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    asked[1].end(0);
    await vi.waitFor(() => expect(session.state.clauses).toHaveLength(1));
    const { state } = session;
    const shown = screenLines(state).map((line) => line.map(({ text }) => text).join(''));
    expect(shown.join('\n')).toContain('  tim  0  did you mean time?');
    type('x');
    await vi.waitFor(() => expect(asked).toHaveLength(3));
    asked[2].end(1);
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
    } as unknown as Backend;
    const fields = [
      ...INDEX.fields,
      { ...INDEX.fields[0], name: 'kind', type: 'KEYWORD', fast: true, source: ['kind'] },
    ];
    const modes = ['lexical', 'semantic', 'hybrid'] as const;
    const index = { ...INDEX, fields, modes, vectorField: 'about' };
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
    const page = { limit: 40, highlight: { max_fragments: 1, fragment_size: 200 } };
    expect(asked.semantic[0]).toEqual({ ...request, k: 100, ...page });
    expect(asked.semantic[1]).toEqual({
      ...{ ...unsorted, k: 100, limit: 1 },
      facets: { fields: ['kind'], size: 8 },
    });
    session.dispatch({ type: 'mode' });
    await vi.waitFor(() => expect(asked.hybrid.length).toBeGreaterThan(0));
    expect(asked.hybrid[0]).toEqual({ ...request, k: 25, ...page });
    await vi.waitFor(() => expect(session.state.answer?.question.mode).toBe('hybrid'));
    session.dispatch({ type: 'open', what: 'explain' });
    await vi.waitFor(() => expect(asked.explain).toHaveLength(1));
    expect(asked.explain[0]).toMatchObject({ ...request, k: 25, mode: 'hybrid', limit: 40 });
  });
});
