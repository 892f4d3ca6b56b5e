import { type Backend, LhsError, type SearchRequest } from '@lakehouse-search/engine';
import { expect, it, vi } from 'vitest';
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

it('asks one question at a time, and of those typed meanwhile only the newest', async () => {
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

it('asks for the prefix of the last word where the word itself finds nothing', async () => {
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

it('shows what the parser says over the last hits', async () => {
  const { asked, session, type } = await slowBackend();
  asked[0].end(3);
  await vi.waitFor(() => expect(session.state.answer?.total).toBe(3));
  type('(');
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  asked[1].fail();
  await vi.waitFor(() => expect(session.state.hint).toBe('no clause'));
  expect(session.state.answer?.total).toBe(3);
});
