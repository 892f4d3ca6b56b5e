// @module-tag campaign
// @module-tag program
/**
 * The official clients, each through its own API, on the demo's incidents and on `git.commits`.
 * LHS_SEARCH_CLIENTS is a folder with the packages under the names es7, es8, es9 and os3.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { hasShared } from '../../../../test/support/shared-tables.ts';
import { runDemo } from '../../../cli/src/demo/run-demo.ts';
import {
  COMMITS_DEFINITION,
  COMMITS_SNAPSHOT,
} from '../../../mcp/test/evaluation/commit-questions.ts';
import { startService, type TestService } from '../support/service.ts';
import { adapterCalls, type Body } from './adapter-calls.ts';

const FOLDER = process.env.LHS_SEARCH_CLIENTS;
const PYTHON = process.env.LHS_SEARCH_PYTHON;
/** Building the index of 55,752 commits takes longer than all the calls. */
const withCommits = hasShared && byEffort(false, true);
let service: TestService;
let token: string;

describe.runIf(FOLDER === undefined)('the official clients of Elasticsearch and OpenSearch', () => {
  it.skip('are not tested: LHS_SEARCH_CLIENTS names no folder with them', () => {});
});
describe.runIf(PYTHON === undefined)('the official clients in Python', () => {
  it.skip('are not tested: LHS_SEARCH_PYTHON names no interpreter with them', () => {});
});

beforeAll(async () => {
  if (FOLDER === undefined && PYTHON === undefined) return;
  service = await startService({
    values: { 'search_adapter.enabled': true },
    prepare: async (backend, data) => {
      await runDemo(backend, data, () => {});
      if (!withCommits) return;
      await backend.createIndex({ definition: COMMITS_DEFINITION, base_dir: '/' });
      await backend.reindex({ index: 'commits', as_of: COMMITS_SNAPSHOT() });
    },
  });
  token = (await service.token({ roles: ['reader'] })).replace('ApiKey ', '');
});
afterAll(() => service?.stop());

/** A client as tests use it: bodies in, bodies out, whichever form its version has. */
interface SearchClient {
  info(): Promise<Body>;
  search(index: string, body: object, options?: object): Promise<Body>;
  count(index: string, body: object): Promise<number>;
  msearch(searches: readonly object[]): Promise<Body>;
  mapping(index: string): Promise<Body>;
  get(index: string, id: string): Promise<Body>;
  exists(index: string): Promise<boolean>;
  /** All ids of a query, by the client's own means. */
  scrolled(index: string, body: object): Promise<readonly string[]>;
  /** The status and the type of an error. */
  failure(call: () => Promise<unknown>): Promise<readonly [number, string]>;
  raw: Body;
}

function connect(name: string, auth: object): SearchClient {
  const { Client } = createRequire(join(FOLDER!, 'package.json'))(name);
  const options = name === 'os3' ? openSearchAuth(auth) : { auth };
  const client = new Client({ node: service.server.url, ...options, maxRetries: 0 });
  const isOld = name === 'es7' || name === 'os3';
  const bodyOf = (response: Body) => (isOld ? response.body : response);
  const withBody = (index: string, body: object, more: object = {}) =>
    isOld ? { index, body, ...more } : { index, ...body, ...more };
  return {
    raw: client,
    info: async () => bodyOf(await client.info()),
    search: async (index, body, more) => bodyOf(await client.search(withBody(index, body, more))),
    count: async (index, body) => bodyOf(await client.count(withBody(index, body))).count,
    msearch: async (searches) =>
      bodyOf(await client.msearch(isOld ? { body: searches } : { searches })),
    mapping: async (index) => bodyOf(await client.indices.getMapping({ index })),
    get: async (index, id) => bodyOf(await client.get({ index, id })),
    exists: async (index) => bodyOf(await client.indices.exists({ index })),
    async scrolled(index, body) {
      const ids: string[] = [];
      for await (const page of client.helpers.scrollSearch(
        withBody(index, body, { scroll: '1m' }),
      )) {
        ids.push(...page.body.hits.hits.map((hit: Body) => hit._id));
      }
      return ids;
    },
    async failure(call) {
      const error = await call().then(
        () => undefined,
        (thrown: Body) => thrown,
      );
      const { statusCode, body } = error.meta;
      return [statusCode, body.error.type];
    },
  };
}

/** OpenSearch's client knows no keys of its own: the header is sent as it is. */
const openSearchAuth = (auth: { apiKey?: string } & object) =>
  auth.apiKey === undefined ? { auth } : { headers: { authorization: `ApiKey ${auth.apiKey}` } };

describe.skipIf(FOLDER === undefined).each(['es7', 'es8', 'es9', 'os3'])(
  'the client %s',
  (name) => {
    let client: SearchClient;
    beforeAll(() => {
      client = connect(name, { apiKey: token });
    });
    afterAll(() => client?.raw.close());

    it('connects, and accepts the product', async () => {
      expect((await client.info()).tagline).toBe('You Know, for Search');
      expect(await client.exists('demo-incidents')).toBe(true);
      expect(await client.exists('nope')).toBe(false);
    });

    it('searches, sorts, highlights and aggregates', async () => {
      const query = {
        bool: { must: { match: { title: 'timeout' } }, filter: [{ term: { severity: 1 } }] },
      };
      const body = {
        query,
        size: 5,
        highlight: { fields: { title: {} } },
        sort: [{ opened_at: 'desc' }],
      };
      const aggs = { per: { date_histogram: { field: 'opened_at', calendar_interval: 'month' } } };
      const found = await client.search('demo-incidents', { ...body, aggs });
      const direct = await adapterCalls(service.server.url, `ApiKey ${token}`).post('/v1/search', {
        index: 'demo-incidents',
        ...{ query: '+title:timeout +severity:1', limit: 5, hydrate: true },
        sort: [{ field: 'opened_at', desc: true }],
      });
      const hits: Body[] = found.hits.hits;
      expect(hits.map((hit) => hit._id)).toEqual(
        direct.body.hits.map((hit: Body) => hit.coordinates.identifier[0].value),
      );
      expect(hits.map((hit) => hit._source)).toEqual(direct.body.hits.map((hit: Body) => hit.row));
      expect(found.hits.total.value).toBe(direct.body.total);
      expect(hits[0].highlight.title[0]).toContain('<em>');
      const counts = found.aggregations.per.buckets.map(({ doc_count }: Body) => doc_count);
      expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(direct.body.total);
      expect(await client.count('demo-incidents', { query })).toBe(direct.body.total);
    });

    it('sends many searches, reads mappings and documents', async () => {
      const { responses } = await client.msearch([
        ...[{ index: 'demo-incidents' }, { size: 1 }],
        ...[{ index: 'nope' }, {}],
      ]);
      expect(responses.map(({ status }: Body) => status)).toEqual([200, 404]);
      const mapping = await client.mapping('demo-incidents');
      expect(mapping['demo-incidents'].mappings.properties.title).toEqual({ type: 'text' });
      expect((await client.get('demo-incidents', '42'))._source.id).toBe(42);
    });

    it('scrolls by its helper', async () => {
      const query = { term: { service: 'billing' } };
      const ids = await client.scrolled('demo-incidents', { query, size: 100, _source: false });
      expect(new Set(ids).size).toBe(await client.count('demo-incidents', { query }));
    });

    it('reads errors', async () => {
      const search = (index: string, body: object) => () => client.search(index, body);
      expect(await client.failure(search('nope', {}))).toEqual([404, 'index_not_found_exception']);
      const wrong = search('demo-incidents', { query: { nope: {} } });
      expect(await client.failure(wrong)).toEqual([400, 'parsing_exception']);
      const write = () =>
        client.raw.index({ index: 'demo-incidents', id: '1', body: {}, document: {} });
      expect((await client.failure(write))[0]).toBe(501);
    });

    it('logs in by name and password', async () => {
      const named = connect(name, { username: 'admin', password: 'long-enough' });
      expect((await named.info()).name).toBe('lhs');
      await named.raw.close();
    });

    it.runIf(withCommits)('searches git.commits, whose keys have two columns', async () => {
      const query = { term: { is_revert: true } };
      const sort = [{ words: 'desc' }];
      const found = await client.search('commits', { query, sort, size: 3 });
      expect(found.hits.total).toEqual({ value: expect.any(Number), relation: 'eq' });
      const [{ _id, _source }] = found.hits.hits;
      expect(_id).toBe(`${_source.repo},${_source.sha}`);
      expect((await client.get('commits', _id))._source).toEqual(_source);
    });
  },
);

/** A block of code of docs/search-adapter.md, for the server and the token of these tests. */
function pageBlock(language: string): string {
  const page = readFileSync(new URL('../../../../docs/search-adapter.md', import.meta.url), 'utf8');
  const [, code] = new RegExp(`\`\`\`${language}[^\\n]*\\n([^]*?)\`\`\``).exec(page)!;
  return code
    .replace(/^ {3}/gm, '')
    .replaceAll('http://127.0.0.1:8080', service.server.url)
    .replaceAll('lhs_…', token);
}

describe.skipIf(FOLDER === undefined)('the JavaScript of the page', () => {
  it('finds hits and counts them by month', async () => {
    const [imported, ...lines] = pageBlock('js').trim().split('\n');
    expect(imported).toBe("import { Client } from '@elastic/elasticsearch';");
    const { Client } = createRequire(join(FOLDER!, 'package.json'))('es9');
    const run = new Function(
      'Client',
      `return (async () => {${lines.join('\n')}; return found})()`,
    );
    const found: Body = await run(Client);
    expect(found.hits.hits).toHaveLength(10);
    expect(found.aggregations.per.buckets.length).toBeGreaterThan(1);
  });
});

/** Prints what it found as JSON. */
const SCRIPT = `
import json, sys
url, token = sys.argv[1:3]
from elasticsearch import Elasticsearch, helpers
from opensearchpy import OpenSearch, helpers as os_helpers
es = Elasticsearch(url, api_key=token)
os = OpenSearch(url, headers={"authorization": "ApiKey " + token})
body = {"query": {"match": {"title": "timeout"}}}
found = es.search(index="demo-incidents", size=3, **body)
other = os.search(index="demo-incidents", body={**body, "size": 3})
term = {"query": {"term": {"service": "billing"}}}
scanned = list(helpers.scan(es, index="demo-incidents", query=term))
os_scanned = list(os_helpers.scan(os, index="demo-incidents", query=term))
caps = es.field_caps(index="demo-incidents", fields="title")["fields"]["title"]
print(json.dumps({
  "info": es.info()["tagline"],
  "ids": [hit["_id"] for hit in found["hits"]["hits"]],
  "other": [hit["_id"] for hit in other["hits"]["hits"]],
  "count": es.count(index="demo-incidents", query=term["query"])["count"],
  "scanned": [len({hit["_id"] for hit in scanned}), len({hit["_id"] for hit in os_scanned})],
  "caps": caps["text"]["searchable"],
}))
`;

describe.skipIf(PYTHON === undefined)('the clients in Python', () => {
  it('print every row by the script of the page', async () => {
    const { stdout } = await promisify(execFile)(PYTHON!, ['-c', pageBlock('py')]);
    const total = await adapterCalls(service.server.url, `ApiKey ${token}`).post(
      '/demo-incidents/_count',
      {},
    );
    expect(stdout.trim().split('\n')).toHaveLength(total.body.count);
  });

  it('search, count and scan', async () => {
    const { stdout } = await promisify(execFile)(PYTHON!, [
      '-c',
      SCRIPT,
      service.server.url,
      token,
    ]);
    const found = JSON.parse(stdout);
    expect(found).toMatchObject({ info: 'You Know, for Search', caps: true });
    expect(found.ids).toHaveLength(3);
    expect(found.other).toEqual(found.ids);
    expect(found.scanned).toEqual([found.count, found.count]);
  });
});
