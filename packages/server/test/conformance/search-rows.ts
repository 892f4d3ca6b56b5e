import { expect } from 'vitest';
import { TICKETS } from '../support/tickets.ts';
import { expectFields, INDEX, idsOf, keyOf, type Loose, row, type Section } from './row.ts';

const QUERY = { ...INDEX, query: 'timeout' };
const NEAR = { ...INDEX, vector_field: 'title_vec', query_text: 'log in' };
const ALL = { ...INDEX, query: '*:*' };

/** Searches, rows by key, suggestions, explanations, facets, aggregations. */
export const SEARCH_ROWS: Section = {
  title: 'Search and retrieval',
  rows: [
    row('hits have `coordinates` (name and value of each key column) and `score`', async (ask) => {
      const body = await ask.ok('search', QUERY);
      for (const hit of body.hits) {
        expect(hit.coordinates.identifier).toEqual([{ name: 'id', value: expect.any(String) }]);
        expect(hit.score).toBeGreaterThan(0);
      }
      return body;
    }),
    row('`fields` of a hit are the cached fields', async (ask) => {
      const { hits } = await ask.ok('search', { ...INDEX, query: 'title:5' });
      const [{ title, size }] = TICKETS.slice(5, 6);
      expect(hits[0].fields).toMatchObject({ title, size: String(size), status: 'open' });
      return hits;
    }),
    row('`highlight`, `row` and `partial` are absent unless they apply', async (ask) => {
      const body = await ask.ok('search', QUERY);
      expect(body).not.toHaveProperty('partial');
      for (const name of ['highlight', 'row', 'hydrate_error']) {
        expect(body.hits[0]).not.toHaveProperty(name);
      }
      // A service that has not looked at the table yet does not say when it did.
      return Object.keys(body)
        .filter((name) => name !== 'lag_checked_ms')
        .sort();
    }),
    row('response: `hits`, exact `total`, `shards_scanned`, `shards_total`', async (ask) => {
      const body = await ask.ok('search', QUERY);
      const { total, shards_scanned, shards_total } = body;
      expect([total, shards_scanned]).toEqual([30, shards_total]);
      return { total, shards_scanned, shards_total };
    }),
    row('`limit` omitted or 0: 10 hits', async (ask) => {
      const pages = [await ask.ok('search', ALL), await ask.ok('search', { ...ALL, limit: 0 })];
      expect(pages.map(({ hits }) => hits.length)).toEqual([10, 10]);
      return pages;
    }),
    row('`offset` begins the page later', async (ask) => {
      const all = idsOf(await ask.ok('search', { ...QUERY, limit: 20 }));
      const page = idsOf(await ask.ok('search', { ...QUERY, limit: 5, offset: 7 }));
      expect(page).toEqual(all.slice(7, 12));
      return page;
    }),
    row('`sort` by fast fields, `desc`', async (ask) => {
      const sort = [{ field: 'status' }, { field: 'size', desc: true }];
      const body = await ask.ok('search', { ...ALL, sort, limit: 3 });
      expect(idsOf(body)).toEqual(['56', '52', '48']);
      return body;
    }),
    row('`search_after` reads all hits once, in every order', async (ask) => {
      const scroll = async (sort: object[]) => {
        const ids: string[] = [];
        for (let search_after: unknown; ; ) {
          const after = search_after === undefined ? {} : { search_after };
          const { hits } = await ask.ok('search', { ...QUERY, sort, limit: 7, ...after });
          if (hits.length === 0) return ids;
          ids.push(...idsOf({ hits }));
          search_after = hits.at(-1).sort;
        }
      };
      const orders = [[{ field: '_score' }], [{ field: 'size', desc: true }], [{ field: '_key' }]];
      const all = await Promise.all(orders.map(scroll));
      for (const ids of all) expect([ids.length, new Set(ids).size]).toEqual([30, 30]);
      return all;
    }),
    row('`collapse` on a fast field: one hit per value', async (ask) => {
      const body = await ask.ok('search', { ...ALL, collapse: 'status' });
      const groups = body.hits.map((hit: Loose) => hit.collapse);
      expect(groups).toEqual(expect.arrayContaining([{ value: 'closed', count: 15 }]));
      expect([groups.length, body.total]).toEqual([2, 60]);
      return body;
    }),
    row('`pit_id` reads one commit; a closed one is 404', async (ask) => {
      const { pit_id } = await ask.ok('openPit', { ...INDEX, keep_alive: '1m' });
      const body = await ask.ok('search', { ...QUERY, pit_id });
      expect(await ask.ok('closePit', { ...INDEX, pit_id })).toEqual({ closed: true });
      await ask.refused(404, 'search', { ...QUERY, pit_id });
      return body;
    }),
    row('`highlight: {}`: fragments are lists of `{text, marked}`, plain text', async (ask) => {
      const body = await ask.ok('search', { ...INDEX, query: 'title:5', highlight: {} });
      const marked = [{ text: '5', marked: true }];
      expect(body.hits[0].highlight.title[0]).toEqual(expect.arrayContaining(marked));
      return body;
    }),
    row(
      '`highlight` fields without a fragment and not highlightable ones are absent',
      async (ask) => {
        const highlight = { fields: ['title', 'status'], max_fragments: 1, fragment_size: 50 };
        const body = await ask.ok('search', { ...INDEX, query: 'ok:true', highlight });
        expect(body.hits[0].highlight).toEqual({});
        return body;
      },
    ),
    row('`hydrate: true`: `row` has the source values, `hydrate_columns` selects', async (ask) => {
      const query = { ...INDEX, query: 'title:7', hydrate: true };
      const [whole] = (await ask.ok('search', query)).hits;
      expect(whole.row).toMatchObject({ id: '7', price: 3.5, ok: false, host: '10.0.3.7' });
      expect(whole.row.meta).toEqual({ kind: 'push', commits: 7, note: 'merged by 2' });
      const [one] = (await ask.ok('search', { ...query, hydrate_columns: ['price'] })).hits;
      expect(one.row).toEqual({ price: 3.5 });
      return [whole, one];
    }),
    row('`hydrate: true` with more than 1,000 hits is refused in each mode: 400', async (ask) => {
      const page = { hydrate: true, limit: 1001 };
      return [
        await ask.refused(400, 'search', { ...ALL, ...page }),
        await ask.refused(400, 'semantic', { ...NEAR, ...page }),
        await ask.refused(400, 'hybrid', { ...NEAR, ...page }),
      ];
    }),
    row('semantic and hybrid take the page, filter and facets of a search', async (ask) => {
      const request = {
        ...{ ...NEAR, k: 60, limit: 2, offset: 1, filter: 'status:open', highlight: {} },
        ...{ sort: [{ field: 'size' }], facets: { fields: ['status'] }, collapse: 'ok' },
      };
      const bodies = [await ask.ok('semantic', request), await ask.ok('hybrid', request)];
      for (const { hits, facets } of bodies) {
        expect(hits).toHaveLength(1);
        expectFields(hits[0], 'sort', 'collapse', 'fields');
        expect(facets[0].buckets).toEqual([{ value: 'open', count: 45 }]);
      }
      return bodies;
    }),
    row(
      'each response about documents has `snapshot`, `index_generation`, `took_ms`',
      async (ask) => {
        const bodies = await Promise.all([
          ask.ok('search', QUERY),
          ask.ok('semantic', NEAR),
          ask.ok('hybrid', NEAR),
          ask.ok('suggest', { ...INDEX, field: 'title', text: 'p' }),
          ask.ok('facets', { ...INDEX, fields: ['status'] }),
          ask.ok('aggregate', { ...INDEX, aggs: { a: { terms: { field: 'status' } } } }),
          ask.ok('getKeys', { ...INDEX, keys: [keyOf('1')] }),
        ]);
        for (const body of bodies) expectFields(body, 'snapshot', 'index_generation', 'took_ms');
        return bodies.map(({ snapshot }) => snapshot === bodies[0].snapshot);
      },
    ),
    row('integers above 2^53 are texts, dates ISO 8601 with microseconds', async (ask) => {
      const { hits } = await ask.ok('search', { ...INDEX, query: 'title:5', hydrate: true });
      const [{ fields, row: found }] = hits;
      for (const values of [fields, found]) {
        expect(values).toMatchObject({
          size: String(3n ** 35n),
          at: '2026-06-03T00:00:00.000000Z',
        });
      }
      return hits;
    }),
    row('`filter` restricts the hits and changes no score', async (ask) => {
      const scores = async (more: object) => {
        const { hits } = await ask.ok('search', { ...QUERY, limit: 100, ...more });
        return new Map(hits.map((hit: Loose) => [idsOf({ hits: [hit] })[0], hit.score]));
      };
      const [all, some] = [await scores({}), await scores({ filter: 'status:open' })];
      expect(some.size).toBe(15);
      for (const [id, score] of some) expect(score).toBe(all.get(id));
      return [...some.keys()];
    }),
    row('`facets` and `aggs` in a search', async (ask) => {
      const aggs = { by: { terms: { field: 'status' } } };
      const body = await ask.ok('search', { ...QUERY, facets: { fields: ['status'] }, aggs });
      expect(body.facets[0].buckets[0]).toEqual({ value: 'closed', count: 15 });
      expect(body.aggs.by.buckets[0]).toEqual({ key: 'closed', doc_count: 15 });
      return [body.facets, body.aggs];
    }),
    row('`default_operator: and` joins side-by-side words by AND', async (ask) => {
      const query = { ...INDEX, query: 'payment timeout' };
      const totals = [
        await ask.ok('search', query),
        await ask.ok('search', { ...query, default_operator: 'and' }),
      ];
      expect(totals.map(({ total }) => total)).toEqual([40, 10]);
      return null;
    }),
    row('`max_fragments` and `fragment_size` bound the fragments', async (ask) => {
      const highlight = { fields: ['title'], max_fragments: 1, fragment_size: 20 };
      const { hits } = await ask.ok('search', { ...QUERY, highlight, limit: 1 });
      const [fragments] = Object.values<Loose>(hits[0].highlight);
      expect(fragments).toHaveLength(1);
      const text = fragments[0].map((segment: Loose) => segment.text).join('');
      expect(text.length).toBeLessThanOrEqual(20);
      return hits;
    }),
    row('`collapse` and `search_after` that do not fit the request: 400', async (ask) => [
      await ask.refused(400, 'search', { ...QUERY, collapse: 'title' }),
      await ask.refused(400, 'search', { ...QUERY, search_after: [1, 'a', 'b', 'c'] }),
    ]),
    row(
      'a hit whose row cannot be resolved has `hydrate_error`; the search succeeds',
      async (ask) => {
        const { hits } = await ask.ok('search', { ...INDEX, query: 'title:59', hydrate: true });
        const [{ hydrate_error, row: found }] = hits;
        expect([typeof hydrate_error, found]).toEqual(['string', undefined]);
        return hydrate_error;
      },
    ),
    row('semantic: `vector_field`, `query_text`, `k`, `hydrate`; ranked hits', async (ask) => {
      const body = await ask.ok('semantic', { ...NEAR, k: 20, hydrate: true, limit: 5 });
      // No shared word: the nearest titles speak of logging in.
      expect(body.hits[0].fields.title).toMatch(/^login/);
      expectFields(body.hits[0], 'coordinates', 'score', 'fields', 'row');
      return body;
    }),
    row('hybrid: as semantic, with `rrf_k`; hits of both arms', async (ask) => {
      const request = { ...NEAR, query_text: 'login timeout', k: 10, rrf_k: 30 };
      const body = await ask.ok('hybrid', { ...request, hydrate: true });
      const arms = body.hits.flatMap((hit: Loose) => Object.keys(hit.arms));
      expect(arms).toEqual(expect.arrayContaining(['lexical', 'semantic']));
      const [{ arms: first, score }] = body.hits;
      const fused = Object.values<Loose>(first).reduce((sum, { rank }) => sum + 1 / (30 + rank), 0);
      expect(score).toBeCloseTo(fused, 6);
      return body;
    }),
    row('keys:get: `rows` of `key` and `fields`; `columns` empty: all', async (ask) => {
      const keys = [keyOf('3'), keyOf('nothing')];
      const body = await ask.ok('getKeys', { ...INDEX, keys, columns: [] });
      const names = { key: keyOf('3'), coordinates: keyOf('3'), id: '3' };
      const fields = expect.objectContaining({ id: '3', price: 1.5 });
      expect(body.rows).toEqual([{ ...names, fields }]);
      expect(body).not.toHaveProperty('failed_shards');
      const some = await ask.ok('getKeys', { ...INDEX, keys, columns: ['size'] });
      expect(some.rows[0].fields).toEqual({ size: 3 });
      return [body, some];
    }),
    row('suggest: `field`, `text`, `limit`, `fuzzy`, `max_edits`', async (ask) => {
      const request = { ...INDEX, field: 'title', text: 'time' };
      const prefix = await ask.ok('suggest', request);
      expect(prefix.suggestions).toEqual([{ text: 'timeout', doc_count: 30, distance: 0 }]);
      const fuzzy = { ...request, text: 'logni', fuzzy: true, max_edits: 2, limit: 1 };
      const near = await ask.ok('suggest', fuzzy);
      expect(near.suggestions[0].text).toBe('login');
      return [prefix, near];
    }),
    row(
      'explain of a match: `found`, `matched`, `score`, `detail`, `analyzed`, `timings`',
      async (ask) => {
        const body = await ask.ok('explain', { ...QUERY, coordinates: keyOf('2') });
        expect([body.found, body.matched]).toEqual([true, true]);
        expectFields(body.detail, 'description', 'score', 'details');
        expect(body.analyzed).toEqual([{ field: 'title', terms: ['timeout'] }]);
        expectFields(body.timings, 'index_ms', 'hydration_ms', 'total_ms');
        expect(body.score).toBeCloseTo(body.detail.score, 6);
        expect(body.shards_scanned).toBe(body.shards_total);
        return body;
      },
    ),
    row('explain of another row: no `score`, no `detail`', async (ask) => {
      const body = await ask.ok('explain', { ...QUERY, coordinates: keyOf('3') });
      expect([body.found, body.matched]).toEqual([true, false]);
      expect(body).not.toHaveProperty('score');
      expect(body).not.toHaveProperty('detail');
      const absent = await ask.ok('explain', { ...QUERY, coordinates: keyOf('nothing') });
      expect([absent.found, absent.matched]).toEqual([false, false]);
      return [body, absent];
    }),
    row('facets: one list of buckets per field, of the matching documents', async (ask) => {
      const body = await ask.ok('facets', { ...QUERY, fields: ['status', 'ok'] });
      const [status] = body.facets;
      expect(status.field).toBe('status');
      expect(status.buckets).toEqual([
        { value: 'closed', count: 15 },
        { value: 'open', count: 15 },
      ]);
      expect(body).not.toHaveProperty('partial');
      return body;
    }),
    row('facets: fields that cannot be aggregated are skipped', async (ask) => {
      const body = await ask.ok('facets', { ...QUERY, fields: ['title', 'status'] });
      expect(body.facets.map(({ field }: Loose) => field)).toEqual(['status']);
      return body;
    }),
    row(
      'facets: at most 12 fields, `size` 10 by default and at most 100: else 400',
      async (ask) => {
        const body = await ask.ok('facets', { ...ALL, fields: ['size'] });
        expect(body.facets[0].buckets).toHaveLength(10);
        await ask.ok('facets', { ...ALL, fields: Array(12).fill('status'), size: 100 });
        return [
          await ask.refused(400, 'facets', { ...ALL, fields: Array(13).fill('status') }),
          await ask.refused(400, 'facets', { ...ALL, fields: ['status'], size: 101 }),
        ];
      },
    ),
    row('aggregate: Terms, and `failed_shards` 0 on a complete response', async (ask) => {
      const aggs = JSON.stringify({ by: { Terms: { field: 'status', size: 1 } } });
      const body = await ask.ok('aggregate', { ...ALL, aggs });
      expect(body.results.by).toEqual({
        buckets: [{ key: 'open', doc_count: 45 }],
        sum_other_doc_count: 15,
        doc_count_error_upper_bound: 0,
      });
      expect(body.failed_shards).toBe(0);
      return body;
    }),
    row('aggregate: Stats, Range, DateHistogram with keys in epoch microseconds', async (ask) => {
      const aggs = {
        size: { Stats: { field: 'price' } },
        cheap: { Range: { field: 'price', ranges: [{ to: 10 }, { from: 10 }] } },
        days: { DateHistogram: { field: 'at', fixed_interval: '1d' } },
      };
      const { results } = await ask.ok('aggregate', { ...ALL, aggs });
      expect(results.size).toEqual({ count: 60, min: 0, max: 29.5, sum: 885, avg: 14.75 });
      expect(results.cheap.buckets.map(({ doc_count }: Loose) => doc_count)).toEqual([20, 40]);
      expect(results.days.buckets[0]).toEqual({
        key: Date.UTC(2026, 0, 3) * 1000,
        doc_count: 5,
      });
      return results;
    }),
    row('aggregate: the tags in lower case are the same', async (ask) => {
      const resultsOf = async (tag: string) =>
        (await ask.ok('aggregate', { ...ALL, aggs: { a: { [tag]: { field: 'size' } } } })).results;
      for (const [one, other] of [
        ['Terms', 'terms'],
        ['Stats', 'stats'],
      ]) {
        expect(await resultsOf(one)).toEqual(await resultsOf(other));
      }
      return null;
    }),
    row('explain of a key that is in neither index nor table says so', async (ask) => {
      const { found, why_not } = await ask.ok('explain', { ...QUERY, coordinates: keyOf('no') });
      expect([found, why_not.reason]).toEqual([false, 'absent']);
      return why_not;
    }),
    row('a regular expression beyond its limit: 400', (ask) =>
      ask.refused(400, 'search', { ...INDEX, query: 'status:/((a{1,200}){1,200}){1,200}/' }),
    ),
    row('aggregate: a fixed interval has no calendar units: 400', (ask) => {
      const aggs = { a: { DateHistogram: { field: 'at', fixed_interval: '1M' } } };
      return ask.refused(400, 'aggregate', { ...ALL, aggs });
    }),
    row('index:describe: statistics and every mapped field', async (ask) => {
      const body = await ask.ok('describeIndex', INDEX);
      expectFields(body, 'num_docs', 'snapshot', 'checkpoint', 'fields', 'tenant_field', 'key');
      expect(body.time_fields).toEqual(['at']);
      expect(body.sort_fields).toEqual(expect.arrayContaining(['status', 'size', 'price']));
      expect(body.vector_fields.map(({ name }: Loose) => name)).toEqual(['title_vec', 'vec']);
      const types = new Set(body.fields.map(({ type }: Loose) => type));
      const all = ['TEXT', 'KEYWORD', 'LONG', 'DOUBLE', 'DATE', 'IP', 'BOOL', 'VECTOR'];
      expect([...types]).toEqual(expect.arrayContaining(all));
      const [price, words] = ['price', 'words'].map((name) => {
        return body.fields.find((field: Loose) => field.name === name);
      });
      expectFields(price, 'type', 'indexed', 'fast', 'cached');
      expect([price.sensitive, words.max_bytes, words.analyzer]).toEqual([true, 100, 'plain']);
      expect(words.source).toEqual(['title']);
      expect(body.vector_fields[0].dims).toBe(384);
      return body;
    }),
    row('unknown fields of a request are refused by name: 400', async (ask) => {
      if (ask.transport === 'grpc') return null;
      const message = await ask.refused(400, 'search', { ...QUERY, zz: 1 });
      expect(message).toContain('"zz"');
      return null;
    }),
    row('`limit`, `offset + limit` at most 10,000: else 400', async (ask) => [
      await ask.refused(400, 'search', { ...QUERY, limit: 10_001 }),
      await ask.refused(400, 'search', { ...QUERY, limit: 10, offset: 9_991 }),
    ]),
  ],
};
