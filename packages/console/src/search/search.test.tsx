import type {
  IndexDescription,
  SavedQuery,
  Scope,
  SearchResponse,
} from '@lakehouse-search/contract';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it, vi } from 'vitest';
import { Accounts } from '../accounts/accounts.tsx';
import { ScreenOf } from '../app.tsx';
import { IndexActions } from '../indexes/index-actions.tsx';
import { AliasList } from '../names/alias-list.tsx';
import { savedPlace } from '../names/saved-place.ts';
import { ScopesProvider, ServiceProvider } from '../parts/console-context.ts';
import { NoIndex } from '../parts/no-index.tsx';
import { Problem } from '../parts/problem.tsx';
import { searchOf } from '../place/place.ts';
import type { ConsoleService } from '../service/console-service.ts';
import { ServiceError } from '../service/service-error.ts';
import { Explained } from './explanation.tsx';
import { Facets } from './facets.tsx';
import { findPage } from './find-page.ts';
import { HitItem } from './hit-item.tsx';
import { NothingFound } from './nothing-found.tsx';
import { explainRequest, facetFields, modeRequest } from './search-request.ts';
import { freshness, Summary } from './summary.tsx';

const field = (name: string, type: string, fast = true, cached = true) => ({
  ...{ name, type, fast, cached, indexed: true, source: [name] },
});
const description = {
  index: 'demo',
  key: { partition: [], identifier: ['id'] },
  vector_fields: [],
  fields: [
    field('id', 'LONG'),
    field('title', 'TEXT', false),
    field('severity', 'LONG'),
    field('service', 'KEYWORD'),
    { ...field('email', 'KEYWORD'), sensitive: true },
  ],
} as unknown as IndexDescription;

const HOSTILE = '<img src=x onerror=alert(1)>';
const place = {
  ...searchOf('demo', 'timeout'),
  filters: [{ kind: 'is', field: 'service', value: 'billing' } as const],
};
const answer = {
  ...{ hits: [], total: 1, shards_scanned: 1, shards_total: 2, partial: true as const },
  ...{ snapshot: '8412345678903325', index_generation: 1, took_ms: 2.1, lag_snapshots: 3 },
};

describe('requests of a search', () => {
  it('count values of words and numbers, not of identifiers and sensitive fields', () => {
    expect(facetFields(description)).toEqual(['service', 'severity']);
    const key = { partition: ['severity'], identifier: ['id'] };
    expect(facetFields({ ...description, key })).toEqual(['severity', 'service']);
  });

  it('have page, order and filter of the URL', () => {
    const sorted = { ...place, page: 3, sort: [{ field: 'severity', desc: true }] };
    const far = modeRequest({ ...sorted, after: '[1,"a"]' }, 'demo', description);
    expect(far?.request).toMatchObject({ search_after: [1, 'a'] });
    expect(far?.request).not.toHaveProperty('offset');
    expect(modeRequest(sorted, 'demo', description)).toEqual({
      mode: 'lexical',
      request: {
        index: 'demo',
        query: 'timeout',
        filter: 'service:billing',
        sort: [{ field: 'severity', desc: true }],
        limit: 20,
        offset: 40,
        highlight: { matched: true },
        facets: { fields: ['service', 'severity'] },
      },
    });
  });

  it('by words find everything without a text; by meaning they wait for one', () => {
    const empty = searchOf('demo');
    expect(modeRequest(empty, 'demo', description)?.request).toMatchObject({ query: '*:*' });
    expect(modeRequest({ ...empty, mode: 'semantic' }, 'demo', description)).toBeUndefined();
  });

  it('by meaning name a field that a model made, if there are several', () => {
    const meant = { ...searchOf('demo', 'a'), mode: 'semantic' as const };
    const vector = { dims: 2, similarity: 'dot', index: 'flat' } as const;
    const own = { ...vector, name: 'own', model: null };
    const made = { ...vector, name: 'made', model: { name: 'm' } };
    const wanted = (vector_fields: IndexDescription['vector_fields']) =>
      modeRequest(meant, 'demo', { ...description, vector_fields })?.request;
    expect(wanted([own, made])).toMatchObject({ query_text: 'a', vector_field: 'made' });
    expect(wanted([made])).not.toHaveProperty('vector_field');
  });

  it('are explained as they are, for one row', () => {
    const coordinates = { identifier: [{ name: 'id', value: '1' }] };
    const request = { index: 'demo', query_text: 'a', limit: 20, highlight: {} };
    expect(explainRequest({ mode: 'semantic', request }, coordinates)).toEqual({
      ...{ index: 'demo', query_text: 'a', limit: 20, mode: 'semantic', coordinates },
    });
  });
});

const wanted = { mode: 'lexical', request: { index: 'demo', query: 'timeout' } } as const;
const inService = (screen: VNode) =>
  renderToString(
    <ServiceProvider value={{ url: 'http://h' } as ConsoleService}>{screen}</ServiceProvider>,
  );

describe('a page of hits', () => {
  const signal = new AbortController().signal;
  const found = (facets: SearchResponse['facets']) => ({
    ...answer,
    ...(facets ? { facets } : {}),
  });

  it('is that of the query as the screen of the terminal runs it', async () => {
    const call = vi.fn(async () => found(undefined));
    const service = { call } as unknown as ConsoleService;
    const typed = { mode: 'lexical', request: { index: 'demo', query: 'a service:bil' } } as const;
    const page = await findPage(service, typed, searchOf('demo'), description, signal);
    expect(page.wanted.request).toMatchObject({ query: 'a AND service:(bil OR bil*)' });
    call.mockRejectedValueOnce(new ServiceError('invalid_query', 'no', 400));
    const plain = await findPage(service, typed, searchOf('demo'), description, signal);
    expect(plain.wanted).toBe(typed);
  });

  it('has counts of a chosen field without its own values', async () => {
    const call = vi.fn(async (_: string, { filter }: { readonly filter?: string }) =>
      found([
        { field: 'service', buckets: [{ value: filter ?? 'all', count: 1 }], other_count: 0 },
      ]),
    );
    const service = { call } as unknown as ConsoleService;
    const filters = [...place.filters, { kind: 'not', field: 'severity', value: '4' } as const];
    const chosen = { ...place, filters };
    const typed = modeRequest(chosen, 'demo', description)!;
    const page = await findPage(service, typed, chosen, description, signal);
    expect(page.answer.facets?.[0].buckets[0].value).toBe('NOT severity:4');
    expect(call).toHaveBeenCalledTimes(2);
  });
});

describe('what a search shows', () => {
  it('never makes markup of the texts of documents', () => {
    const hit = {
      coordinates: { identifier: [{ name: 'id', value: HOSTILE }] },
      key: `id=${HOSTILE}`,
      score: 7.4231,
      fields: { title: HOSTILE, service: HOSTILE, severity: 2 },
      highlight: { title: [[{ text: HOSTILE, marked: true }]], body: [] },
    };
    const html = renderToString(<HitItem {...{ hit, rank: 1, place, description }} />);
    expect(html).not.toContain('<img');
    expect(html).toContain('<mark>&lt;img src=x onerror=alert(1)></mark>');
    expect(html).toContain('score 7.42');
    expect(html).toContain('severity 2');
  });

  it('keeps chosen values among the counts, and leaves measures out', () => {
    const facets = [
      { field: 'service', buckets: [{ value: HOSTILE, count: 5 }], other_count: 2 },
      { field: 'severity', buckets: [{ value: '1', count: 5 }], other_count: 90 },
    ];
    const html = renderToString(
      <Facets {...{ place, description, wanted }} answer={{ ...answer, facets }} />,
    );
    expect(html).toContain('billing');
    expect(html).toContain('more …');
    expect(html).toContain(
      'href="#/search/demo?q=timeout&amp;f=service%3Abilling&amp;none=service"',
    );
    expect(html).not.toContain('severity');
    expect(html).not.toContain('<img');
  });

  it('has facets with few values first, and none in which every value is another row', () => {
    const facet = (name: string, counts: readonly number[], other_count = 0) => ({
      ...{ field: name, other_count },
      buckets: counts.map((n, i) => ({ value: `v${i}`, count: n })),
    });
    const facets = [facet('iata', [1, 1, 1], 9), facet('town', [5, 4], 70), facet('kind', [8, 1])];
    const html = renderToString(
      <Facets
        {...{ description, wanted }}
        place={{ ...place, filters: [] }}
        answer={{ ...answer, facets }}
      />,
    );
    expect(html.match(/<summary><bdi>\w+/g)).toEqual(['<summary><bdi>kind', '<summary><bdi>town']);
  });

  it('has total, time, freshness and what is missing', () => {
    const page = { answer, wanted };
    const html = inService(<Summary {...{ page }} index="demo" again={() => {}} />);
    expect(html.replace(/<[^>]+>/g, '')).toBe(
      '1 hit in demo · 2.1 ms · 3 snapshots behind the table Refresh watch' +
        'The answer is partial: 1 of 2 shards answered.',
    );
    expect(freshness(0)).toBe('at the table’s head');
  });

  it('shows errors with place, hint and the screen that helps', () => {
    const error = new ServiceError('invalid_query', `field "${HOSTILE}"`, 400, {
      hint: 'fields: a, b',
      next: [{ step: 'describe_index', index: 'demo' }, { step: 'choose_data_folder' }],
      place: { text: 'subjct:timeout', from: 0, to: 6 },
    });
    const html = renderToString(<Problem error={error} />);
    expect(html).toContain('<u>subjct</u>:timeout');
    expect(html).toContain('href="#/indexes/demo"');
    expect(html).not.toContain('<img');
  });

  it('explains scores as a tree, and misses with their reason', () => {
    const clause = { clause: 'a', score: 1, details: [] };
    const html = renderToString(
      <Explained
        found={{
          ...{ ...answer, found: true, matched: true, score: 2, rank: 1, total: 9, analyzed: [] },
          timings: { index_ms: 1, hydration_ms: 0, total_ms: 1 },
          detail: { ...clause, description: 'sum', details: [{ ...clause, description: HOSTILE }] },
          why_not: { reason: 'below_page', message: 'it is on a later page' },
        }}
      />,
    );
    expect(html).toContain('rank 1 of 9');
    expect(html).toContain('it is on a later page');
    expect(html).not.toContain('<img');
  });

  it('shows what was probably meant, each with a link', () => {
    const elsewhere = [{ clause: 'last:Ruth', total: 4 }];
    const clauses = [
      { clause: 'service:biling', total: 0, suggestion: 'service:billing', suggestion_total: 3 },
      { clause: 'ruth', total: 0, total_without: 7, elsewhere },
    ];
    const answer = { hits: [], total: 0, clauses, suggested_query: 'service:billing last:Ruth' };
    const html = renderToString(
      <NothingFound place={place} answer={answer as unknown as SearchResponse} />,
    );
    const links = [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => {
      return new URLSearchParams(href.split('?')[1]).get('q');
    });
    expect(links).toEqual(
      expect.arrayContaining(['service:billing last:Ruth', 'service:billing', 'last:Ruth']),
    );
    expect(html.replace(/<[^>]*>/g, '')).toMatch(
      /did you mean service:billing\? 3.*ruth: 0 · without it 7/,
    );
  });
});

describe('a user without an index or a scope', () => {
  const service = { url: 'http://h' } as ConsoleService;
  const shown = (scopes: readonly Scope[] | undefined, screen: VNode) =>
    renderToString(
      <ServiceProvider value={service}>
        <ScopesProvider value={scopes}>{screen}</ScopesProvider>
      </ServiceProvider>,
    );

  it('of a service without an index is shown the command that creates one there', () => {
    const command = '<code>lhs index apply FILE --url http://h</code>';
    expect(shown(undefined, <NoIndex />)).toContain(command);
  });

  it('is told so, and not offered what would be refused', () => {
    const reader = shown(['search', 'index_read'], <AliasList />);
    expect(reader).not.toContain('<form');
    expect(reader).toContain('Changes of aliases need the scope <code>admin</code>');
    const operator = shown(['index_read', 'ops'], <ScreenOf place={place} defaultIndex={null} />);
    expect(operator).toContain('need the scope <code>search</code>');
  });

  it('has the buttons of what its roles permit', () => {
    const actions = <IndexActions index="demo" generations={[]} changed={() => {}} />;
    expect(shown(['index_read', 'search'], actions)).not.toContain('<button');
    expect(shown(['index_read', 'admin'], actions)).toContain('Sync');
    expect(shown(undefined, actions)).toContain('Drop');
    expect(shown(['search'], <Accounts />)).not.toContain('<table');
  });

  it('may do everything where the service asks for none', () => {
    const html = shown(undefined, <AliasList />);
    expect(html).toContain('<form');
    expect(html).not.toContain('need the scope');
  });
});

describe('saved queries', () => {
  const saved = (request: SavedQuery['request'], mode?: SavedQuery['mode']): SavedQuery => ({
    ...{ id: '1', name: 'n', created_at: '', updated_at: '', request },
    ...(mode === undefined ? {} : { mode }),
  });

  it('open as the search that was saved', () => {
    const other = { kind: 'is', field: 'service', value: 'a "b"' } as const;
    const sort = [{ field: 'a' }, { field: 'b', desc: true }];
    const whole = {
      ...{ ...place, filters: [...place.filters, other], sort, collapse: 'service' },
      syntax: 'kql',
    } as const;
    const wanted = modeRequest(whole, 'demo', description);
    expect(savedPlace(saved(wanted?.request ?? {}, 'lexical'))).toEqual(whole);
    expect(savedPlace(saved({ query_text: 'x' }, 'hybrid'))).toMatchObject({ query: 'x' });
  });

  it('with parts that the screen lacks do not open', () => {
    expect(savedPlace(saved({ query: 'a', pit_id: 'b' }))).toBeUndefined();
    expect(savedPlace(saved({ query: 'a', filter: 'x:[1 TO 2]' }))).toBeUndefined();
  });
});
