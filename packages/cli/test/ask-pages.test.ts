/** Runs the examples of docs/explain.md and docs/suggest.md as commands; the page's head says how they are written. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { importFiles } from '@lakehouse-search/lake';
import { afterAll, beforeAll } from 'vitest';
import { Home } from './child.ts';
import { describePage, file } from './page-examples.ts';

const home = new Home();
afterAll(() => home.dispose());

beforeAll(async () => {
  const warehouse = home.path('warehouse');
  mkdirSync(warehouse);
  await importFiles({
    catalog: { type: 'filesystem', warehouse },
    table: 'docs.tickets',
    files: [file('fixtures/query-docs.ndjson')],
    key: ['id'],
    formatVersion: 3,
  });
  const page = readFileSync(file('docs/query.md'), 'utf8');
  const yaml = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const definition = home.path('tickets.yaml');
  writeFileSync(definition, yaml.replace('./warehouse', JSON.stringify(warehouse)));
  await home.json(['index', 'create', '-f', definition]);
  await home.json(['index', 'reindex', 'tickets']);
});

for (const name of ['explain', 'suggest']) describePage(home, name);
