import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from './child.ts';
import { hasTmux, Pane } from './tmux.ts';

/** What a newcomer meets in the first hour: outputs, errors, and files beside the command. */
const home = new Home();
const LONG = `a ${'very '.repeat(40)}long text`;
const WIDE = '{"id":"k1","name":"tent","note":"NOTE","at":"2024-06-01","price":19.5}'.replace(
  'NOTE',
  LONG,
);

/** A definition of the small table, with further lines of fields. */
const definition = (index: string, more = '') => `version: 1
index: ${index}
source:
  catalog: { type: filesystem, warehouse: ./lake }
  table: shop.items
key: { identifier: [id] }
fields:
  - { name: name, type: TEXT, cached: true }
  - { name: price, type: DOUBLE, fast: true, cached: true }
  - { name: at, type: DATE, fast: true, cached: true }
${more}`;

beforeAll(async () => {
  const more = '{"id":"k2","name":"tent lamp","note":"b","at":"2024-08-15","price":250}';
  writeFileSync(home.path('items.ndjson'), `${WIDE}\n${more}\n`);
  const table = ['--table', 'shop.items', '--warehouse', home.path('lake')];
  await home.run(['source', 'import', 'items.ndjson', ...table, '--key', 'id']);
  writeFileSync(home.path('items.yaml'), definition('items'));
  await home.run(['index', 'create', 'items.yaml']);
  await home.run(['index', 'reindex', 'items']);
});
afterAll(() => home.dispose());

/** Runs `lhs` in a terminal of 60 columns and returns its screen. */
async function onTerminal(command: string): Promise<string> {
  const lhs = `${process.execPath} ${new URL('../bin/lhs.js', import.meta.url).pathname}`;
  const pane = new Pane(60, 40, `cd ${home.folder}; ${lhs} ${command}; echo END $?; cat`, {
    LHS_DATA_DIR: home.path('data'),
    XDG_CONFIG_HOME: home.path('config'),
    XDG_CACHE_HOME: home.path('cache'),
  });
  try {
    return await pane.until(/END \d/);
  } finally {
    pane.dispose();
  }
}

describe('the next step of a build', () => {
  it('is a search that succeeds, also if no field has words', async () => {
    const numbers = definition('numbers').replace(/^.*type: TEXT.*\n/m, '');
    writeFileSync(home.path('numbers.yaml'), numbers);
    const built = await home.run(['index', 'apply', 'numbers.yaml']);
    const again = await home.run(['index', 'reindex', 'numbers']);
    for (const { stdout } of [built, again]) {
      expect(stdout).toMatch(/^next: lhs search numbers '\*:\*'$/m);
    }
    expect(await home.run(['search', 'numbers', '*:*'])).toMatchObject({ code: 0 });
  });
});

describe('output for a pipe', () => {
  it('is neither cut nor wrapped', async () => {
    const { stdout } = await home.run(['search', 'items', 'tent', '--hydrate']);
    expect(stdout).toContain(`note   ${LONG}\n`);
    expect(stdout).not.toMatch(/…$/m);
  });

  it('is the same in a text file', async () => {
    await home.run(['search', 'items', 'tent', '--hydrate', '-o', 'hits.txt']);
    expect(readFileSync(home.path('hits.txt'), 'utf8')).toContain(LONG);
  });
});

describe.runIf(hasTmux)('output on a terminal', () => {
  it('is cut to its columns, and binary is refused', async () => {
    const [hits, rows] = await Promise.all([
      onTerminal('search items tent --hydrate'),
      onTerminal('source rows shop.items --warehouse ./lake --format parquet'),
    ]);
    expect(hits).toMatch(/note {3}a very very very.*…$/m);
    expect(rows).toMatch(/--format parquet is binary and cannot be written to a\n/);
    expect(rows).toMatch(/END 2/);
  });
});

describe('--output', () => {
  it.each([
    [['search', 'items', 'tent', '-o', 'a.csv'], /^wrote a\.csv: 2 rows as csv, \d+ B\n$/],
    [
      ['search', 'items', 'tent', '--format', 'csv', '-o', 'a.parquet'],
      /^wrote a\.parquet: 2 rows as csv, /,
    ],
    [['search', 'items', 'tent', '-o', 'a.json'], /^wrote a\.json: json, /],
    [['index', 'export', 'items', '-o', 'b.csv'], /^wrote b\.csv: 2 rows as csv, /],
    [
      ['source', 'rows', 'shop.items', '--warehouse', 'lake', '-o', 'b.ndjson'],
      /^wrote b\.ndjson: 2 rows as ndjson, /,
    ],
  ])('of %j says what it wrote', async (args, said) => {
    const done = await home.run(args);
    expect(done).toMatchObject({ code: 0, stdout: '' });
    expect(done.stderr).toMatch(said);
  });
});

describe.runIf(process.platform === 'linux')('a denied file', () => {
  /** Root may write to every folder, so its test uses one of /proc, which the kernel refuses. */
  const denied = () => {
    if (process.getuid?.() === 0) return '/proc/1/x';
    mkdirSync(home.path('closed'), { recursive: true });
    chmodSync(home.path('closed'), 0o500);
    return home.path('closed', 'x');
  };

  it('ends the command with an error, and never in a loop', async () => {
    const done = await home.run(['erase', 'key'], { env: { LHS_DATA_DIR: denied() } });
    expect(done.stderr).toMatch(/^error: cannot make "/);
    expect([1, 4]).toContain(done.code);
  });
});

describe('NO_COLOR beside FORCE_COLOR', () => {
  it('prints no warning of the runtime', async () => {
    const env = { NO_COLOR: '1', FORCE_COLOR: '1' };
    const done = await home.run(['search', 'items', 'tent'], { env });
    expect([done.stderr, done.stdout.includes('\u001b')]).toEqual(['', false]);
  });
});

describe('lhs index apply', () => {
  const file = (text: string) => {
    writeFileSync(home.path('apply.yaml'), text);
    return ['index', 'apply', '-f', 'apply.yaml'];
  };

  it('creates and builds an index that is not there', async () => {
    const done = await home.run(file(definition('applied')));
    expect(done.stdout).toMatch(/^applied {2}is new\n/);
    expect(done.stdout).toMatch(/\napplied {2}created and built: 2 rows in /);
    expect((await home.run(['search', 'applied', 'lamp'])).stdout).toMatch(/^1 hit in applied/);
  });

  it('says that an index is behind its table, above all where nothing is found', async () => {
    const table = ['--table', 'shop.items', '--warehouse', home.path('behind')];
    const add = async (id: string, mode: string) => {
      writeFileSync(home.path('one.csv'), `id,name,note,at,price\n${id},${id},b,2024-08-15,1.5\n`);
      return (await home.run(['import', 'one.csv', ...table, '--key', 'id', mode])).stdout;
    };
    await home.run(['import', 'items.ndjson', ...table, '--key', 'id']);
    const text = definition('behind').replace('./lake', './behind');
    writeFileSync(home.path('behind.yaml'), text);
    await home.run(['index', 'apply', 'behind.yaml']);
    expect(await add('k9', '--append')).toMatch(/\nnext: lhs index sync behind\n$/);
    const line = /^1 snapshot behind \(lhs index sync behind\)$/m;
    const query = ['behind', 'name:k9'];
    const aggs = '{"prices":{"sum":{"field":"price"}}}';
    expect((await home.run(['search', ...query])).stdout).toMatch(line);
    const rows = await home.run(['search', 'behind', '*:*', '--format', 'csv']);
    expect(rows.stderr).toMatch(line);
    expect((await home.run(['index', 'facets', ...query])).stderr).toMatch(line);
    expect((await home.run(['index', 'aggregate', ...query, '--aggs', aggs])).stderr).toMatch(line);
    expect((await home.run(['verify', 'behind'])).stdout).toMatch(line);
    writeFileSync(home.path('behind.yaml'), `${text}  - { name: note, type: TEXT }\n`);
    const applied = await home.run(['index', 'apply', 'behind.yaml', '--yes']);
    expect(applied.stdout).toMatch(/generation 2 is live\n1 snapshot behind \(/);
    await home.run(['index', 'sync', 'behind']);
    expect((await home.run(['search', ...query])).stdout).toMatch(/^1 hit in behind/);
    expect((await home.run(['verify', 'behind'])).stdout).not.toContain('behind (');
    const replaced = await add('k9', '--replace');
    expect(replaced).toMatch(/\nnext: lhs index sync behind\nnext: lhs index init shop\.items /);
    await home.run(['index', 'sync', 'behind']);
    writeFileSync(home.path('one.csv'), 'id,name,note,at,price\nk9,k9,b,2024-08-15,cheap\n');
    const typed = await home.run(['import', 'one.csv', ...table, '--replace']);
    expect(typed.stdout).toMatch(/\nnext: lhs index reindex behind\nnext: lhs index init /);
    writeFileSync(home.path('one.csv'), 'id,name\nk9,k9\n');
    const fewer = await home.run(['import', 'one.csv', ...table, '--replace']);
    expect(fewer.stdout).toMatch(
      /\nnext: lhs index init .*\nnext: lhs index apply definition.yaml\n$/,
    );
    expect(fewer.stdout).not.toContain('reindex');
    for (const command of ['sync', 'reindex']) {
      const failed = await home.run([command, 'behind']);
      const [, init = '', apply = ''] =
        /\n {2}lhs (index init .*) > definition\.yaml\n {2}lhs (.*)\n$/.exec(failed.stderr) ?? [];
      const { stdout: text } = await home.run(init.split(' '));
      expect(text).toMatch(/^index: behind$/m);
      expect(apply).toBe('index apply definition.yaml');
      writeFileSync(home.path('definition.yaml'), text);
    }
    const anew = await home.run(['index', 'apply', 'definition.yaml', '--yes']);
    expect(anew).toMatchObject({ code: 0 });
    expect((await home.run(['search', ...query])).stdout).toMatch(/^1 hit in behind/);
  });

  it('reads the table of an import where the import wrote it: flag or setting', async () => {
    writeFileSync(home.path('catalog.yaml'), 'type: filesystem\nwarehouse: ./named\n');
    const setting = { LHS_WAREHOUSE: home.path('set') };
    const places = [
      { at: ['--warehouse', './flag'] },
      { at: ['--catalog', 'catalog.yaml'] },
      { at: [], env: setting },
    ];
    for (const { at, env } of places) {
      const table = ['--table', 'shop.next', ...at];
      const { stdout } = await home.run(['source', 'import', 'items.ndjson', ...table], { env });
      const next = /^next: lhs (.*) > definition\.yaml$/m.exec(stdout)?.[1] ?? '';
      expect(next).toBe(['index init shop.next', ...at].join(' '));
      expect((await home.run(next.split(' '), { env })).stdout).toContain('table: shop.next');
    }
  });

  it.each([
    ['a name that repeats', 'id,v,id\n1,2,3\n', '--rename column2=NAME renames the second one'],
    ['a line that is short', 'id,v\n1\n', '--pad fills short lines with NULL; --skip-bad-lines'],
  ])('names the flag that imports a file with %s', async (_, text, advice) => {
    writeFileSync(home.path('fault.csv'), text);
    const table = ['--table', 'shop.fault', '--warehouse', './flag'];
    const { code, stderr } = await home.run(['source', 'import', 'fault.csv', ...table]);
    expect([code, stderr.split('\n')[1]]).toEqual([2, expect.stringContaining(`  ${advice}`)]);
  });

  it('builds an index whose key was wrong, with the commands that the error prints', async () => {
    const rows = '{"id":1,"name":"lamp","kind":"a"}\n{"id":2,"name":"tent","kind":"a"}\n';
    writeFileSync(home.path('kinds.ndjson'), rows);
    const table = ['--table', 'shop.kinds', '--warehouse', home.path('kinds')];
    await home.run(['source', 'import', 'kinds.ndjson', ...table]);
    const keyed = (key: string) =>
      `${definition('mended')
        .replace('./lake', './kinds')
        .replace('shop.items', 'shop.kinds')
        .replace(/^key:.*$/m, `key: { identifier: [${key}] }`)
        .replace(/fields:.*/s, 'fields: [{ name: name, type: TEXT }]')}\n`;
    const failed = await home.run(file(keyed('kind')));
    expect(failed.stderr).toMatch(/key kind=a stands in two rows: /);
    expect(failed.stderr).toMatch(
      /\n {2}lhs index validate apply.yaml\n {2}lhs index apply apply.yaml\n/,
    );
    const valid = await home.run(['index', 'validate', 'apply.yaml']);
    expect(valid.code).toBe(2);
    expect(valid.stdout).toMatch(/the key does not tell rows apart: 1 of 2 rows have the key of/);
    const done = await home.run([...file(keyed('id')), '--yes']);
    expect(done.stdout).toMatch(/^live +key: kind → id \(.*\n\nmended {2}is not built yet\n/);
    expect(done.stdout).toMatch(/\nmended {2}built: 2 rows in /);
    expect((await home.run(['search', 'mended', 'lamp'])).stdout).toMatch(/^1 hit in mended/);
  });

  it('changes an index only after the plan and a yes', async () => {
    const more = definition('applied', '  - { name: note, type: TEXT }\n');
    const asked = await home.run(file(more));
    expect(asked.code).toBe(2);
    expect(asked.stdout).toMatch(/^field {4}fields\.note: none → /);
    expect(asked.stderr).toMatch(/add --yes to continue without a question/);
    expect((await home.run(['search', 'applied', 'note:very'])).code).toBe(2);
    const done = await home.run([...file(more), '--yes']);
    expect(done.stdout).toMatch(/\napplied {2}altered, built 1 field; generation 2 is live\n$/);
    expect((await home.run(['search', 'applied', 'note:very'])).stdout).toMatch(/^1 hit/);
    expect((await home.run(file(more))).stdout).toMatch(/nothing to do/);
  });
});

describe('help', () => {
  it('begins commands with npx under npx', async () => {
    const npx = { env: { npm_command: 'exec' } };
    const texts = [['help', 'import'], ['help'], []].map((line) => home.run(line, npx));
    const [command, root, first] = (await Promise.all(texts)).map(({ stdout }) => stdout);
    expect(command).toMatch(
      /^ {2}\$ npx lhs import events.*^The page: npx lhs help page import$/ms,
    );
    expect(root).toMatch(/^npx lhs COMMAND .*^npx lhs help -n .*^npx lhs help PAGE {7}agents, /ms);
    expect(first).toMatch(/^more: npx lhs --help, npx lhs COMMAND --help$/m);
    for (const text of [command, root, first]) expect(text).not.toMatch(/(?<!npx) lhs [a-z]/);
  });

  it('groups the commands by task, prints pages offline and knows wrong names', async () => {
    const [all, page, wrong] = await Promise.all([
      home.run(['--help']),
      home.run(['help', 'query']),
      home.run(['help', 'serch']),
    ]);
    expect(all.stdout).toMatch(
      /^Define and build an index {2}index init, index validate, index create, /m,
    );
    expect(all.stdout).toMatch(/^Change an index {2,}index alter, rename, index clone, index /m);
    expect(page.stdout).toMatch(/^QUERIES\n/);
    expect(page.stdout).toMatch(/\nCommands: lhs query --help\n$/);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toMatch(
      /^error: there is no command "serch"\n {2}did you mean lhs search\?/,
    );
  });
});

describe('settings of tables', () => {
  it('take the place of --warehouse', async () => {
    const env = { XDG_CONFIG_HOME: home.path('other-config') };
    const missing = await home.run(['source', 'tables'], { env });
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.stderr).toMatch(/lhs config set warehouse DIR/);
    await home.run(['config', 'set', 'warehouse', './lake'], { env });
    const found = await home.run(['source', 'tables'], { env, cwd: '/' });
    expect(found.stdout).toBe('shop.items\n');
    const catalog = { ...env, LHS_CATALOG: 'nope' };
    const wrong = await home.run(['source', 'tables'], { env: catalog });
    expect(wrong).toMatchObject({ code: 3 });
    expect(wrong.stderr).toMatch(/there is no catalog and no file "nope"/);
  });
});

describe('a table with text in place of numbers', () => {
  it('is replaced with the flag that its note names, and an index says what to do', async () => {
    const lines = ['id,mass', '1,3750', '2,3800', '3,3250', '4,3450', '5,3650', '6,NA'];
    writeFileSync(home.path('penguins.csv'), `${lines.join('\n')}\n`);
    const at = ['--table', 'my.penguins', '--warehouse', home.path('lake')];
    const run = (...more: string[]) =>
      home.run(['source', 'import', 'penguins.csv', ...at, ...more]);
    expect((await run('--key', 'id')).stdout).toMatch(/mass string\n.*add --null NA/);
    const index = definition('penguins')
      .replace('shop.items', 'my.penguins')
      .replace(/fields:.*/s, 'fields: [{ name: mass, type: KEYWORD }]\n');
    writeFileSync(home.path('penguins.yaml'), index);
    await home.run(['index', 'create', 'penguins.yaml']);
    expect(await home.run(['index', 'reindex', 'penguins'])).toMatchObject({ code: 0 });
    const refused = await run('--null', 'NA', '--append', '--type', 'mass=long');
    expect(refused.stderr).toMatch(/has types already; .* created or replaced/);
    const done = await run('--null', 'NA', '--replace');
    expect(done.stdout).toMatch(/\n2 columns: id long key, mass long\nnext: /);
    const synced = await home.run(['index', 'sync', 'penguins']);
    expect(synced.code).not.toBe(0);
    expect(synced.stderr).toMatch(
      /column "mass" was replaced .*\n.*build it again\n.*reindex penguins/,
    );
    expect(await home.run(['index', 'reindex', 'penguins'])).toMatchObject({ code: 0 });
    const found = await home.json(['search', 'penguins', 'mass:3450', '--hydrate']);
    expect(found).toMatchObject({ total: 1, hits: [{ row: { id: 4, mass: 3450 } }] });
    const text = await run('--replace', '--type', 'mass=string');
    expect(text.stdout).toMatch(/2 columns: id long key, mass string\n/);
  });
});
