// @module-tag campaign
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from './child.ts';
import { BACKENDS, onBackend, type Runs } from './on-backend.ts';

const local = new Home();
let home: Runs = local;
const LAKE = ['--warehouse', home.path('lake')];
const file = home.path('notes.yaml');
const definition = (synonyms: string) => `version: 1
index: notes
source: { catalog: { type: filesystem, warehouse: ./lake }, table: ops.notes }
${synonyms}fields:
  - { name: title, type: TEXT }
`;
beforeAll(async () => {
  const rows = ['tv stand', 'television', 'radio'].map((title, id) =>
    JSON.stringify({ id, title }),
  );
  writeFileSync(home.path('rows.ndjson'), `${rows.join('\n')}\n`);
  const table = ['--table', 'ops.notes', ...LAKE, '--key', 'id'];
  await home.json(['source', 'import', home.path('rows.ndjson'), ...table]);
  writeFileSync(file, definition(''));
  await home.json(['index', 'create', '-f', file]);
  await home.json(['index', 'reindex', 'notes']);
});
afterAll(() => local.dispose());

const total = async (index: string) =>
  (await home.json<{ total: number }>(['search', index, 'tv'])).total;

describe('synonyms of a file', () => {
  it('come into force with the definition that names it', async () => {
    writeFileSync(home.path('words.txt'), '# sets\ntv, television\n');
    writeFileSync(file, definition('synonyms: words.txt\n'));
    expect((await home.run(['index', 'validate', file])).stdout).toMatch(/^ok|no errors|valid/im);
    expect(await total('notes')).toBe(1);
    const plan = await home.json(['index', 'alter', 'notes', '-f', file, '--apply']);
    expect(plan).toMatchObject({ strategy: 'live', applied: true });
    expect(await total('notes')).toBe(2);
    writeFileSync(home.path('words.txt'), 'tv, radio, television\n');
    await home.json(['index', 'apply', '-f', file, '--yes']);
    expect(await total('notes')).toBe(3);
  });
});

describe.each(BACKENDS)('lhs index rename on %s', (backend) => {
  const own = onBackend(local, backend);
  beforeAll(async () => {
    await own.begin();
    home = own;
  });
  afterAll(async () => {
    home = local;
    await own.end();
  });

  it('says what followed, and the way out if it is refused', async () => {
    await home.run(['alias', 'set', 'now', 'notes']);
    const done = await home.run(['index', 'rename', 'notes', 'papers']);
    expect(done.stdout.split('\n')).toEqual([
      'notes is now papers',
      'followed: aliases now',
      'write "index: papers" in its definition file before you apply the file again',
      '',
    ]);
    expect([await total('papers'), await total('now')]).toEqual([3, 3]);
    const gone = await home.run(['search', 'notes', 'tv']);
    expect(gone).toMatchObject({ code: 3, stderr: expect.stringContaining('no index "notes"') });
    const taken = await home.run(['rename', 'papers', 'now']);
    expect(taken.code).toBe(5);
    expect(taken.stderr).toMatch(
      /"now" is an alias of index "papers"[^\n]*\n {2}lhs alias drop now/,
    );
    const alias = await home.run(['rename', 'now', 'later']);
    expect(alias.stderr).toContain('"now" is an alias of index "papers"');
    expect(await home.json(['rename', 'papers', 'notes'])).toEqual({
      ...{ index: 'notes', previous_name: 'papers', aliases: ['now'], saved_queries: 0 },
    });
  });
});
