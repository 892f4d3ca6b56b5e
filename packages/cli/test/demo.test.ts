import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../test/support/schema.ts';
import { Home } from './child.ts';

/** `lhs demo` replaces what an earlier demo made and nothing else. */
const SCHEMA = schemaOf({ id: 'long', word: 'string' });
/** Commands whose first example names the index of the demo. */
const ON_THE_DEMO = [
  ...['search', 'facets', 'aggregate', 'explain', 'keys get', 'status', 'sync', 'verify'],
  ...[
    'reindex',
    'doctor',
    'alias set',
    'query save',
    'jobs list',
    'index describe',
    'index export',
  ],
  ...['index semantic', 'index hybrid', 'index suggest', 'index analyze', 'index parse'],
  ...['index types', 'index clone', 'index backup', 'index compact', 'index upgrade'],
  ...['index rollback', 'index pit open'],
];
let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.dispose());

interface Report {
  readonly index: string;
  readonly table: string;
  readonly warehouse: string;
  readonly rows: number;
  readonly questions: readonly { readonly total: number }[];
}

/** A table of one row in a warehouse, with an index over it. */
async function makeIndex(index: string, warehouse: string, table: string): Promise<void> {
  const catalog = { type: 'filesystem', warehouse } as const;
  await createTable(catalog, table, { schema: SCHEMA });
  await appendRows({ catalog, table }, { kind: 'rows', rows: [{ id: 1, word: 'mine' }] });
  const source = `{ catalog: ${JSON.stringify(catalog)}, table: ${table} }`;
  const fields = 'fields:\n  - { name: word, type: TEXT }\n';
  const backend = await openEngine(home.path('data'), { create: true, threads: 0 });
  await backend.createIndex({
    definition: `version: 1\nindex: ${index}\nsource: ${source}\n${fields}`,
    base_dir: home.folder,
  });
  await backend.reindex({ index });
  await backend.close();
}

const total = async (index: string, query: string) =>
  (await home.json<{ total: number }>(['search', index, query])).total;

describe('lhs demo', () => {
  it('leaves tables and indexes of the user alone, and replaces its own', async () => {
    await makeIndex('incidents', home.path('data', 'lake'), 'ops.incidents');
    const first = await home.json<Report>(['demo']);
    expect(first).toMatchObject({ index: 'demo-incidents', table: 'demo.incidents', rows: 5018 });
    await home.json(['alias', 'set', 'latest', first.index]);
    const { stdout, code } = await home.run(['demo']);
    expect(code).toBe(0);
    expect(await total('incidents', 'word:mine')).toBe(1);
    expect(await total('latest', 'timeout')).toBeGreaterThan(100);
    const commands = stdout.match(/^ {3}lhs search demo-incidents '.*$/gm) ?? [];
    expect(commands).toHaveLength(first.questions.length + 1); // and one to try next
    const [snapshots = ''] = /lhs source snapshots .*/.exec(stdout) ?? [];
    const listed = await home.run(snapshots.split(' ').slice(1));
    expect(listed.stdout).toMatch(/append/);
  });

  it('refuses a name that belongs to the user, and changes nothing', async () => {
    await makeIndex('demo-incidents', home.path('lake'), 'my.incidents');
    const index = await home.run(['demo', '--json']);
    expect(index.code).toBe(5);
    expect(JSON.parse(index.stdout).error).toMatchObject({
      code: 'index_exists',
      message: expect.stringMatching(/"demo-incidents" was not made by lhs demo/),
    });
    expect(await total('demo-incidents', 'word:mine')).toBe(1);
    await home.json(['index', 'drop', 'demo-incidents', '--yes']);

    await makeIndex('other', home.path('lake'), 'my.other');
    await home.json(['alias', 'set', 'demo-incidents', 'other']);
    const alias = await home.run(['demo']);
    expect(alias).toMatchObject({ code: 5, stdout: '' });
    expect(alias.stderr).toMatch(/"demo-incidents" is an alias of index "other"/);
    expect(await total('demo-incidents', 'word:mine')).toBe(1);
    await home.json(['alias', 'drop', 'demo-incidents']);

    await makeIndex('third', home.path('data', 'demo-lake'), 'demo.incidents');
    const table = await home.run(['demo']);
    expect(table).toMatchObject({ code: 5, stdout: '' });
    expect(table.stderr).toMatch(/demo-lake\/demo\/incidents" was not made by lhs demo/);
    expect((await home.json<{ equal: boolean }>(['index', 'verify', 'third'])).equal).toBe(true);
  });

  it('--git has names of its own too', async () => {
    const repository = home.path('repository');
    mkdirSync(repository);
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=b', ...args]);
    git('init', '--quiet');
    git('commit', '--quiet', '--allow-empty', '--message', 'fix a leak');
    await makeIndex('history', home.path('data', 'lake'), 'git.history');
    for (const _ of [1, 2]) {
      const report = await home.json<Report>(['demo', '--git', repository]);
      expect(report).toMatchObject({ index: 'demo-history', table: 'demo.history', rows: 1 });
    }
    expect(await total('history', 'word:mine')).toBe(1);
    expect(await total('demo-history', 'leak')).toBe(1);
  });

  it('makes the index that examples of the help name', async () => {
    await home.json(['demo']);
    const failed: string[] = [];
    for (const command of ON_THE_DEMO) {
      const { stdout } = await home.run([...command.split(' '), '--help']);
      const [, example = ''] = /^ {2}\$ lhs (.*demo-incidents.*?)(?: > .*)?$/m.exec(stdout) ?? [];
      const words = (example.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
      const { code, stderr } = await home.run(words);
      if (code !== 0 || example === '') failed.push(`${command}: ${example}: ${stderr}`);
    }
    expect(failed).toEqual([]);
  });
});
