/** Synonyms over the network: every interface expands them, and no definition names a file. */
import { createRemote } from '@lakehouse-search/client/remote/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContractTable } from '../../../test/contract/table.ts';
import { startService, type TestService } from './support/service.ts';

const table = await createContractTable();
const definition = (index: string, synonyms: string) =>
  table.definition(index, `synonyms: ${synonyms}\n`);
let service: TestService;

beforeAll(async () => {
  service = await startService({
    auth: false,
    prepare: async (backend) => {
      await backend.createIndex({ definition: definition('notes', '[["disk full", network]]') });
      await backend.reindex({ index: 'notes' });
    },
    values: { 'search_adapter.enabled': true },
    names: { catalogs: { main: table.source.catalog } },
  });
});
afterAll(async () => {
  await service.stop();
  table.remove();
});

describe('a service of an index with synonyms', () => {
  it('expands them over REST, gRPC and the search adapter', async () => {
    const { url, grpc } = service.server;
    for (const at of [url, `grpc://${grpc}`]) {
      const client = createRemote({ url: at });
      const { total } = await client.search({ index: 'notes', query: 'network' });
      expect(total).toBe(2);
      await client.close();
    }
    const found = async (query: object): Promise<number> => {
      const response = await fetch(`${url}/notes/_search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const { hits } = (await response.json()) as { hits: { total: { value: number } } };
      return hits.total.value;
    };
    expect(await found({ match: { title: 'network' } })).toBe(2);
    expect(await found({ match: { title: { query: 'disk full', operator: 'and' } } })).toBe(2);
    expect(await found({ match_phrase: { title: 'network' } })).toBe(2);
    expect(await found({ query_string: { query: 'title:network' } })).toBe(2);
  });

  it.each(['/etc/passwd', 'synonyms.txt', '{ file: /etc/passwd }'])(
    'opens no file for a definition: synonyms: %s',
    async (synonyms) => {
      const response = await fetch(`${service.server.url}/v1/indexes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          definition: definition('hostile', synonyms).replace(
            /source: .*/,
            'source: { catalog: main, table: ops.notes }',
          ),
        }),
      });
      expect(response.status).toBe(400);
      const text = await response.text();
      expect(text).toContain('only the command line reads a file');
      expect(text).not.toContain('root:');
    },
  );
});
