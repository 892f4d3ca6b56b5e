// @module-tag slow
/** Whatever counts rows of a cluster says it if a shard did not answer. */

import { writeFileSync } from 'node:fs';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from '../../packages/cli/test/child.ts';
import { type ClusterProcess, startProcess } from '../support/cluster-processes.ts';
import { schemaOf } from '../support/schema.ts';

const SCHEMA = schemaOf({ id: 'int', title: 'string', org: 'string' });
const rows = Array.from({ length: 40 }, (_, id) => ({ id, title: 'note', org: `org${id % 3}` }));
const index = 'notes';

describe('a cluster that has lost a node', () => {
  const home = new Home();
  const catalog = { type: 'filesystem', warehouse: home.path('lake') } as const;
  const source = { catalog, table: 'ops.notes' };
  const started: ClusterProcess[] = [];
  let client: ServiceApi;
  let url: string;
  let found: string;

  beforeAll(async () => {
    await createTable(catalog, source.table, { schema: SCHEMA });
    await appendRows(source, { kind: 'rows', rows });
    const config = home.path('catalogs.yaml');
    writeFileSync(config, `catalogs: { main: ${JSON.stringify(catalog)} }\n`);
    const addr = ['--config', config, '--addr', '127.0.0.1:0'];
    for (const i of [0, 1]) started.push(await startProcess('node', home.path(`n${i}`), addr));
    const nodes = started.map(({ grpc }) => grpc).join(',');
    const rest = ['--nodes', nodes, '--rest-addr', '127.0.0.1:0'];
    started.push(await startProcess('gateway', home.path('gateway'), [...addr, ...rest]));
    url = started[2].url;
    client = createRemote({ url, retryMs: 0 });
    const definition = `version: 1
index: ${index}
source: { catalog: main, table: ops.notes }
sharding: { shards: 2 }
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: org, type: KEYWORD, fast: true }
`;
    await client.createIndex({ definition });
    await client.reindex({ index });
    await started[0].end('SIGKILL');
    const { hits } = await client.search({ index, query: '*:*', limit: 1 });
    found = `id=${hits[0].coordinates.identifier[0].value}`;
  });

  afterAll(async () => {
    await client?.close();
    for (const process of started) await process.end('SIGKILL');
    home.dispose();
  });

  const commands = () => [
    ['search', index, 'note'],
    ['search', index, 'note', '--format', 'csv'],
    ['facets', index, 'note', '--field', 'org'],
    ['aggregate', index, 'note', '--terms', 'org'],
    ['aggregate', index, 'note', '--terms', 'org', '--format', 'csv'],
    ['index', 'suggest', index, 'no', '--field', 'title'],
    ['explain', index, 'note', '--key', found],
  ];

  it('says so in each command', async () => {
    for (const command of commands()) {
      const { stdout, stderr } = await home.run([...command, '--url', url]);
      expect(`${command}: ${stdout}${stderr}`).toContain('partial: a shard did not answer');
    }
  });

  it('says so in each tool of agents', async () => {
    const call = async (name: string, input: object) => {
      const params = { name, arguments: input };
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      return response.text();
    };
    const note = 'part of the index did not answer';
    expect(await call('search', { query: 'note' })).toContain(note);
    expect(await call('aggregate', { query: 'note', terms: 'org' })).toContain(note);
    expect(await call('list_indexes', {})).toContain('without shard');
  });

  it('does not count clauses', async () => {
    const counts = client.clauseCounts({ index, query: 'title:note AND org:org1' });
    await expect(counts).rejects.toMatchObject({ code: 'unreachable' });
  });
});
