import { writeFileSync } from 'node:fs';
import type { DiffResponse } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from './child.ts';
import { BACKENDS, onBackend, type Runs } from './on-backend.ts';

const local = new Home();
let home: Runs = local;
const LAKE = ['--warehouse', home.path('lake')];
let first = '';
beforeAll(async () => {
  const rows = ['disk full', 'disk', 'a disk'].map((title, id) => JSON.stringify({ id, title }));
  writeFileSync(home.path('rows.ndjson'), `${rows.join('\n')}\n`);
  const table = ['--table', 'ops.notes', ...LAKE, '--key', 'id'];
  await home.json(['source', 'import', home.path('rows.ndjson'), ...table]);
  const definition = `version: 1
index: notes
source: { catalog: { type: filesystem, warehouse: ./lake }, table: ops.notes }
fields:
  - { name: title, type: TEXT }
`;
  writeFileSync(home.path('notes.yaml'), definition);
  await home.json(['index', 'create', '-f', home.path('notes.yaml')]);
  const { snapshot } = await home.json<{ snapshot: string }>(['index', 'reindex', 'notes']);
  first = snapshot;
  await home.json(['source', 'delete', 'ops.notes', ...LAKE, '--where', 'id = 1', '--yes']);
  await home.json(['index', 'sync', 'notes']);
});
afterAll(() => local.dispose());

describe.each(BACKENDS)('lhs index diff on %s', (backend) => {
  const own = onBackend(local, backend);
  beforeAll(async () => {
    await own.begin();
    home = own;
  });
  afterAll(async () => {
    home = local;
    await own.end();
  });

  it('prints the cost of a side that is built, then each hit with its cause', async () => {
    const done = await home.run(['index', 'diff', 'notes', '-q', 'title:disk', '--from', first]);
    expect(done.code).toBe(0);
    expect(done.stderr).toMatch(/^builds snapshot \d{4}…\d{4}: reads 3 rows, /);
    expect(done.stdout).toMatch(
      /^from snapshot \d{4}…\d{4}: built from the table in .* · 3 hits$/m,
    );
    expect(done.stdout).toMatch(/^0 entered, 1 left, /m);
    expect(done.stdout).toMatch(/^left +id=1 +#1 \d\.\d{3} +row deleted$/m);
  });

  it('prints JSON, and only the plan on request', async () => {
    const args = ['index', 'diff', 'notes', '-q', 'title:disk', '--from', first];
    const diff = await home.json<DiffResponse>(args);
    expect(diff).toMatchObject({ index: 'notes', from: { total: 3 }, to: { total: 2 } });
    const plan = await home.json<DiffResponse>([...args, '--plan']);
    expect(plan).toMatchObject({ from: { kind: 'built', rows: 3 }, hits: [] });
    const none = await home.run(['index', 'diff', 'notes', '-q', 'x', '--from', 'now', '--plan']);
    expect(none.stdout).toBe('nothing is built\n');
  });
});
