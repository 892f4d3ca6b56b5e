// @module-tag slow
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchResponse } from '@lakehouse-search/engine';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ended, Home, lines, TABLES } from './child.ts';
import { BACKENDS, onBackend } from './on-backend.ts';
import { startServed } from './served.ts';

/** Every command as a process of its own, over the small tables of fixtures/. */
const local = new Home();
const home = local;
const VECTORS = join(TABLES, 'own_vectors');
const ODD = join(TABLES, 'own_odd_names');
const BRANCHES = join(TABLES, 'own_branches');
afterAll(() => {
  console.log(`commands: ${home.runs} processes`);
  home.dispose();
});

interface Truth {
  readonly snapshots: readonly { id: string; rows: readonly Record<string, unknown>[] }[];
}
const truth = (table: string): Truth =>
  JSON.parse(readFileSync(join(table, 'truth.json'), 'utf8')) as Truth;

async function build(name: string, table: string): Promise<void> {
  const { stdout } = await home.run(['index', 'init', '--path', table, '--name', name]);
  writeFileSync(home.path(`${name}.yaml`), stdout);
  await home.json(['index', 'create', '-f', home.path(`${name}.yaml`)]);
  await home.json(['index', 'reindex', name]);
}

beforeAll(async () => {
  await build('vec', VECTORS);
  await build('odd', ODD);
});

describe('lhs index move', () => {
  it('takes an index to another store, and back', async () => {
    await build('moved', VECTORS);
    const found = (index: string) => home.json<Answer>(['search', index, '*']);
    const { total } = await found('moved');
    const moved = await home.run(['index', 'move', 'moved', './homes']);
    expect([moved.code, moved.stderr]).toEqual([0, '']);
    const [, file, next] = lines(moved.stdout);
    expect(file).toMatch(/^write "storage: .*homes" in its definition file$/);
    expect(next).toMatch(/^next: lhs index status .*homes\/moved/);
    expect((await home.run(next!.split(' ').slice(2))).code).toBe(0);
    expect((await found('./homes/moved')).total).toBe(total);
    const again = await home.run(['index', 'move', 'moved', './homes']);
    expect(lines(again.stdout)[0]).toMatch(/ is in .*homes already {2}in /);
    expect(lines(again.stdout).slice(1)).toEqual([file, next]);
    const back = await home.run(['index', 'move', 'moved', '--local']);
    expect([back.code, back.stderr]).toEqual([0, '']);
    expect((await home.run(['search', './homes/moved', '*'])).code).toBe(3);
    expect((await home.run(['index', 'drop', 'moved', '--yes'])).code).toBe(0);
    for (const none of [[], ['']]) {
      expect((await home.run(['index', 'move', 'vec', ...none])).code).toBe(2);
    }
  });

  it('takes an index of a server into a root of its configuration, and back', async () => {
    const [config, data, store] = ['move.yaml', 'moving', 'homes-of-a-server'].map((name) =>
      home.path(name),
    );
    cpSync(home.path('data'), data, { recursive: true });
    mkdirSync(store);
    writeFileSync(config, JSON.stringify({ roots: { store } }));
    const served = await startServed(home, ['--no-sync', '--data-dir', data, '--config', config]);
    const run = (...args: string[]) => home.run([...args, '--url', served.url]);
    try {
      const moved = await run('index', 'move', 'vec', 'store');
      expect([moved.code, moved.stderr]).toEqual([0, '']);
      const [place, file, next] = lines(moved.stdout);
      expect(place).toMatch(/^vec is in store now {2}in /);
      expect(file).toBe('write "storage: store" in its definition file');
      expect(next).toBe(`next: lhs index status vec --url ${served.url}`);
      expect((await home.run(next!.split(' ').slice(2))).code).toBe(0);
      expect(readdirSync(store)).not.toEqual([]);
      expect((await run('index', 'move', 'vec', './homes')).stderr).toContain('store/FOLDER');
      expect((await run('index', 'move', 'vec', '--local')).code).toBe(0);
    } finally {
      await served.stop();
    }
  });
});

interface Answer {
  readonly total: number;
  readonly hits: readonly {
    readonly coordinates: { identifier: { name: string; value: string }[] };
    readonly score: number;
    readonly sort?: unknown[];
    readonly fields?: Record<string, unknown>;
    readonly highlight?: Record<string, { text: string; marked: boolean }[][]>;
    readonly row?: Record<string, unknown>;
    readonly collapse?: { value: unknown; count: number };
  }[];
}
type Loose = Readonly<Record<string, unknown>>;
const ids = (answer: Answer) => answer.hits.map((h) => h.coordinates.identifier[0].value);

describe.each(BACKENDS)('lhs index on %s', (backend) => {
  const home = onBackend(local, backend);
  beforeAll(() => home.begin());
  afterAll(() => home.end());

  it.runIf(home.isRemote)('refuses tables and definitions that name paths', async () => {
    const init = ['index', 'init', '--path', VECTORS];
    for (const args of [init, ['index', 'validate', '-f', home.path('vec.yaml')]]) {
      const done = await home.run(args);
      expect([done.code, done.stdout]).toEqual([2, '']);
      expect(done.stderr).toMatch(/the configuration of the server names no/);
    }
  });

  it.skipIf(home.isRemote)('init, create and reindex say what to do next', async () => {
    const init = await home.run(['index', 'init', '--path', VECTORS, '--name', 'again']);
    expect(init.stdout).toMatch(/^index: again$/m);
    expect(init.stdout).toMatch(/name: title, type: TEXT/);
    expect(init.stdout).toMatch(/column: details, flatten: true/);
    expect(init.stderr).toMatch(/^next: lhs index validate FILE, lhs index create/);
    const created = await home.run(['index', 'create', '-f', '-'], { input: init.stdout });
    expect(created.stdout).toBe('again created\nnext: lhs index reindex again\n');
    const early = await home.run(['search', 'again', 'x']);
    expect(early).toMatchObject({ code: 5, stdout: '' });
    expect(early.stderr).toContain('lhs index reindex again\n');
    const twice = await home.run(['index', 'create', '-f', '-'], { input: init.stdout });
    expect(twice.code).toBe(5);
    const built = await home.run(['index', 'reindex', 'again']);
    expect(built.stdout).toMatch(
      /^again {2}built {5}27 rows in .* · generation 1 live · snapshot \d{4}…\d{4}\nnext: lhs search again/,
    );
    const dropped = await home.run(['index', 'drop', 'again', '--yes']);
    expect(dropped.code).toBe(0);
    expect(dropped.stdout).toMatch(
      /^again dropped; its table is as it was\nremoved: 1 generation, [\d.]+ kB\n$/,
    );
    expect((await home.run(['index', 'describe', 'again'])).code).toBe(3);
  });

  it('list and describe', async () => {
    const [list, wire, text, described] = await Promise.all([
      home.run(['index', 'list']),
      home.json<{ indexes: { name: string; num_docs: number }[] }>(['index', 'list']),
      home.run(['index', 'describe', 'vec']),
      home.json<Record<string, unknown>>(['index', 'describe', 'vec']),
    ]);
    expect(lines(list.stdout)[0]).toMatch(/^index +status +rows +size +snapshot$/);
    expect(wire.indexes.find((i) => i.name === 'vec')).toMatchObject({
      status: 'live',
      num_docs: 27,
    });
    expect(lines(text.stdout)[0]).toMatch(/^vec {2}live, generation 1, 27 rows, .* in 1 segment$/);
    expect(text.stdout).toMatch(/^sorts by {2}_score, _key, id, service_exact, at$/m);
    expect(text.stdout).toMatch(/^next: lhs search vec 'some words'\n$/m);
    expect(Object.keys(described)).toEqual(
      expect.arrayContaining(
        (
          'index num_docs snapshot checkpoint index_generation fields time_fields ' +
          'sort_fields vector_fields'
        ).split(' '),
      ),
    );
  });

  it('reindex --as-of and sync --until walk through the snapshots of the table', async () => {
    const { snapshots } = truth(VECTORS);
    const first = await home.json<Record<string, unknown>>([
      'index',
      'reindex',
      'vec',
      '--as-of',
      snapshots[0].id,
    ]);
    expect(first).toMatchObject({ doc_count: snapshots[0].rows.length, snapshot: snapshots[0].id });
    await vi.waitFor(async () => {
      const behind = await home.run(['search', 'vec', 'title']);
      expect(behind.stdout).toMatch(/5 snapshots behind \(lhs index sync vec\)/);
    });
    const until = await home.json<Record<string, unknown>>([
      'index',
      'sync',
      'vec',
      '--until',
      snapshots[2].id,
    ]);
    expect(until).toMatchObject({
      snapshots_applied: 2,
      snapshot: snapshots[2].id,
      doc_count: snapshots[2].rows.length,
      skipped_replace: 0,
    });
    const rest = await home.run(['index', 'sync', 'vec']);
    expect(rest.stdout).toMatch(/^vec {2}3 snapshots applied in .* 27 rows now$/m);
    // A service reports no steps of a sync.
    if (!home.isRemote) expect(lines(rest.stderr)).toHaveLength(3);
    const again = await home.run(['index', 'sync', 'vec']);
    expect(again.stdout).toBe('vec is at the table’s head: nothing to do\n');
    const exported = await home.run(['index', 'export', 'vec']);
    const rows = lines(exported.stdout).map((line) => JSON.parse(line));
    const keys = rows.map(({ coordinates }) => coordinates.identifier[0].value);
    expect(rows.map(({ id }) => id)).toEqual(keys);
    expect(rows.map(({ key }) => key)).toEqual(keys.map((id) => `id=${id}`));
    const last = snapshots.at(-1)?.rows.map((r) => String(r.id)) ?? [];
    expect(keys).toEqual(last.sort((a, b) => Number(a) - Number(b)));
  });

  it('analyze, with a field and with an analyzer', async () => {
    const [field, english, unknown] = await Promise.all([
      home.run(['index', 'analyze', 'vec', '--field', 'title', 'Gateways timed-out']),
      home.json<{ tokens: unknown[] }>(['index', 'analyze', '--analyzer', 'english', 'the dogs']),
      home.run(['index', 'analyze', '--analyzer', 'englsh', 'x']),
    ]);
    expect(lines(field.stdout)).toHaveLength(4);
    expect(english.tokens).toEqual([{ token: 'dog', position: 1, start: 4, end: 8 }]);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toMatch(/did you mean "english"\?/);
  });

  it('print: the string of a tree, or what no string says', async () => {
    const all = { bool: { must: [{ term: { field: 'a', value: 'x y' } }, { match_all: {} }] } };
    const filter = { bool: { filter: [{ match_all: {} }] } };
    const [plain, kql, no, broken] = await Promise.all([
      home.run(['index', 'print', JSON.stringify(all)]),
      home.run(['index', 'print', JSON.stringify(all), '--syntax', 'kql', '--json']),
      home.run(['index', 'print', JSON.stringify(filter)]),
      home.run(['index', 'print', '{"bool"']),
    ]);
    expect(plain.stdout).toBe('a:x\\ y AND *:*\n');
    expect(JSON.parse(kql.stdout)).toEqual({ query: 'a:x\\ y and *:*' });
    expect(no.stderr).toContain('ast.bool.filter cannot be said in a query string');
    expect(broken.stderr).toContain('the tree is not JSON');
    expect([no.code, broken.code]).not.toContain(0);
  });

  it('parse, in both syntaxes', async () => {
    const [plain, kql, checked, bad] = await Promise.all([
      home.run(['index', 'parse', 'a OR b']),
      home.run(['index', 'parse', 'a and b', '--syntax', 'kql']),
      home.run(['index', 'parse', 'service:billing', '--index', 'vec']),
      home.run(['index', 'parse', 'servce:billing', '--index', 'vec']),
    ]);
    const term = (value: string) => ({ term: { field: 'text', value } });
    expect(JSON.parse(plain.stdout)).toEqual({ bool: { should: [term('a'), term('b')] } });
    expect(JSON.parse(kql.stdout)).toEqual({ bool: { must: [term('a'), term('b')] } });
    expect(JSON.parse(checked.stdout)).toEqual({ term: { field: 'service', value: 'billing' } });
    expect(bad.code).toBe(2);
  });

  it('bench measures a list, an array and JSON', async () => {
    writeFileSync(home.path('list.txt'), 'title\nservice:billing\n\n');
    writeFileSync(home.path('list.json'), '["title 6", "changed"]');
    const [text, wire] = await Promise.all([
      home.run(['index', 'bench', 'vec', '--queries', home.path('list.txt')]),
      home.json<Record<string, unknown>>([
        'index',
        'bench',
        'vec',
        ...['--queries', home.path('list.json'), '--operator', 'and'],
        ...['--limit', '3', '--warm', '0', '--repeat', '2'],
      ]),
    ]);
    expect(text.stdout).toMatch(/^2 queries on vec, query\nmean .* µs · p50 .* · p90 .* · p99 /);
    expect(Object.keys(wire)).toEqual(
      'engine index operator queries mean_us p50_us p90_us p99_us'.split(' '),
    );
    expect(wire.queries).toMatchObject([
      { query: 'title 6', total: 1 },
      { query: 'changed', total: 1 },
    ]);
  });

  it.skipIf(home.isRemote)('validate tells every fault with its place', async () => {
    const good = readFileSync(home.path('vec.yaml'), 'utf8');
    const bad = good
      .replace('analyzer: folded', 'analyzer: englsh')
      .replaceAll(/\bservice\b/g, 'servce');
    const file = home.path('bad.yaml');
    writeFileSync(file, bad);
    const [valid, text, github, wire, offline] = await Promise.all([
      home.run(['index', 'validate', '-f', home.path('vec.yaml')]),
      home.run(['index', 'validate', '-f', file]),
      home.run(['index', 'validate', '-f', file, '--github']),
      home.run(['index', 'validate', '-f', file, '--json']),
      home.run(['index', 'validate', '-f', file, '--offline']),
    ]);
    expect(valid).toMatchObject({ code: 0, stdout: `${home.path('vec.yaml')} is valid\n` });
    expect(text).toMatchObject({ code: 2, stderr: '' });
    const created = await home.run(['index', 'create', file]);
    expect(created.stderr).toMatch(/^error: .*bad\.yaml, line \d+, column \d+: /);
    const line = bad.split('\n').findIndex((l) => l.includes('englsh')) + 1;
    const column = bad.split('\n')[line - 1].indexOf('englsh') + 1;
    expect(lines(text.stdout)[0].replace(/ +/g, ' ')).toBe(
      `${file}:${line}:${column} error unknown analyzer "englsh"; did you mean "english"?`,
    );
    expect(text.stdout).toMatch(/"servce".*did you mean "service"\?/);
    expect(lines(text.stdout).at(-1)).toBe(`3 errors, 0 warnings in ${file}`);
    expect(lines(github.stdout)[0]).toMatch(
      new RegExp(`^::error file=.*bad\\.yaml,line=${line},col=${column}::unknown analyzer`),
    );
    expect(JSON.parse(wire.stdout)).toMatchObject({
      valid: false,
      issues: [{ line, column }, {}, {}],
    });
    expect(lines(offline.stdout).at(-1)).toMatch(/^1 error, /);
  });

  it('export prints every live document, or what a query finds', async () => {
    const [all, some, arrow] = await Promise.all([
      home.run(['index', 'export', 'odd']),
      home.run(['index', 'export', 'vec', '--query', 'service:billing']),
      home.run(['index', 'export', 'vec', '--format', 'arrow']),
    ]);
    expect(lines(all.stdout)).toHaveLength(12);
    for (const line of lines(some.stdout)) expect(JSON.parse(line).fields.service).toBe('billing');
    const { tableFromIPC } = await import('apache-arrow');
    expect(tableFromIPC(arrow.bytes).numRows).toBe(27);
  });
});

describe.each(BACKENDS)('lhs search on %s', (backend) => {
  const home = onBackend(local, backend);
  beforeAll(() => home.begin());
  afterAll(() => home.end());

  const search = (query: string, ...flags: string[]) =>
    home.json<Answer>(['search', 'vec', query, ...flags]);

  it('answers what the index answers in the library', async () => {
    const [alias, whole, billing, exact] = await Promise.all([
      search('title:title', '--limit', '30'),
      home.json<Answer>(['index', 'search', 'vec', 'title:title', '--limit', '30']),
      search('service:billing', '--filter', 'id:[10 TO *]', '--sort', 'id:desc'),
      search('details.kind:deploy details.size:12', '--operator', 'and'),
    ]);
    expect(ids(alias)).toEqual(ids(whole));
    const rows = truth(VECTORS).snapshots.at(-1)?.rows ?? [];
    const titled = rows.filter((r) => String(r.title).startsWith('title'));
    expect(alias.total).toBe(titled.length);
    const wanted = rows.filter((r) => r.service === 'billing' && Number(r.id) >= 10);
    expect(ids(billing).map(Number)).toEqual(wanted.map((r) => Number(r.id)).sort((a, b) => b - a));
    expect(ids(exact)).toEqual(['12']);
  });

  it('pages by offset and by --after, in every order', async () => {
    const all = await search('*:*', '--limit', '27', '--sort', 'service,id:desc');
    const first = await search('*:*', '--limit', '10', '--sort', 'service,id:desc');
    const after = JSON.stringify(first.hits.at(-1)?.sort);
    const [second, third] = await Promise.all([
      search('*:*', '--limit', '10', '--sort', 'service,id:desc', '--after', after),
      search('*:*', '--limit', '10', '--sort', 'service,id:desc', '--offset', '20'),
    ]);
    expect([...ids(first), ...ids(second), ...ids(third)]).toEqual(ids(all));
  });

  it('hydrates, highlights, collapses, chooses fields', async () => {
    const [hydrated, marked, collapsed, fields] = await Promise.all([
      search('title:changed', '--columns', 'title,details'),
      search('title:changed', '--highlight'),
      search('*:*', '--collapse', 'service'),
      search('title:changed', '--fields', 'title'),
    ]);
    expect(hydrated.hits[0].row).toEqual({ title: 'changed', details: null });
    expect(marked.hits[0].highlight?.title).toEqual([[{ text: 'changed', marked: true }]]);
    const counts = collapsed.hits.map((h) => h.collapse?.count ?? 0);
    expect(counts.reduce((a, b) => a + b)).toBe(27);
    expect(fields.hits[0].fields).toEqual({ title: 'changed' });
  });

  it('finds the rows whose words are those of a row', async () => {
    const run = (...args: string[]) => home.run(['search', 'vec', ...args]);
    const alike = await search('--like', '12');
    expect(alike.total).toBeGreaterThan(1);
    expect(ids(alike)).not.toContain('12');
    const { hits } = await search('--like', 'id=12', '--limit', '1');
    expect(hits).toEqual(alike.hits.slice(0, 1));
    const { stdout } = await run('--like', '12', '--limit', '1');
    expect(stdout).toContain('next: ');
    expect(stdout).toContain('--offset 1 --like 12');
    const both = await run('changed', '--like', '12');
    expect(both.stderr).toContain('"changed" and --like cannot be combined');
    const missing = await run('--like', '99999');
    expect(missing.stderr).toMatch(/no row of index "vec" has key id=99999/);
  });

  it('takes fields as values of switches, and refuses them behind these', async () => {
    const marked = await search('changed', '--highlight=title');
    expect(Object.keys(marked.hits[0].highlight ?? {})).toEqual(['title']);
    const read = await search('changed', '--hydrate=title');
    expect(read.hits[0].row).toEqual({ title: 'changed' });
    const down = await search('*:*', '--sort', '-service,_key');
    expect(down.hits).toEqual((await search('*:*', '--sort', 'service:desc,_key')).hits);
    const refused = await home.run(['search', 'vec', 'changed', '--highlight', 'title']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('"title" behind --highlight is a word of the query');
    const value = await home.run(['search', 'vec', 'changed', '--fix=true']);
    expect(value.stderr).toContain('--fix takes no value, and has "true"');
  });

  it('runs a file of queries, an answer a line, in order', async () => {
    const file = [
      'title:changed',
      '{"query":"title","limit":1}',
      '',
      '{"query":"service:billing"}',
    ];
    const done = await home.run(['search', 'vec', '--queries', '-', '--limit', '2'], {
      input: file.join('\n'),
    });
    expect(done.code).toBe(0);
    const answers = lines(done.stdout).map((line) => JSON.parse(line) as Answer);
    expect(answers.map((a) => a.hits.length)).toEqual([1, 1, 2]);
  });

  it.skipIf(home.isRemote)('says which stores cannot be read, wherever one is named', async () => {
    const definition = 'version: 1\nindex: far\nkey: { identifier: [id] }\nsource: ';
    const source = '{ catalog: { type: filesystem, warehouse: "oss://b/wh" }, table: n.t }\n';
    const fields = 'fields: [{ name: id, type: LONG }]\n';
    writeFileSync(home.path('far.yaml'), definition + source + fields);
    for (const args of [
      ['source', 'tables', '--warehouse', 'obs://b/wh'],
      ['source', 'describe', 'n.t', '--warehouse', 'oss://b/wh'],
      ['source', 'rows', '--path', 'cosn://c/wh/n/t'],
      ['index', 'init', '--path', 'hdfs://h/wh/n/t'],
      ['index', 'create', home.path('far.yaml')],
    ]) {
      const done = await home.run(args);
      const message = /lies on a store that cannot be read: .* on s3:/m;
      expect([done.code, done.stderr], args.join(' ')).toEqual([1, expect.stringMatching(message)]);
    }
  });

  it('names each bad line of a file of queries in its place, and answers the others', async () => {
    writeFileSync(home.path('some.txt'), 'title\n{"quer\nnope:x\n{"limits":1}\ntitle:changed\n');
    const file = ['--queries', home.path('some.txt')];
    const bad = await home.run(['search', 'vec', ...file]);
    expect(bad.code).toBe(2);
    const answers = lines(bad.stdout).map((line) => JSON.parse(line));
    expect(answers.map((answer) => answer.error?.code ?? answer.total)).toEqual([
      25,
      'invalid_argument',
      'invalid_query',
      'invalid_argument',
      1,
    ]);
    const named = lines(bad.stderr).filter((line) => line.startsWith('error: '));
    expect(named.map((line) => /some\.txt:(\d): /.exec(line)?.[1])).toEqual(['2', '3', '4']);
    expect(bad.stderr).toMatch(/^error: .*some\.txt:2: the request is not JSON: .*$/m);
    const unknown = await home.run(['search', 'none', ...file]);
    expect(unknown).toMatchObject({ code: 3, stdout: '' });
    expect(unknown.stderr).toMatch(/some\.txt:1: there is no index "none"/);
    const missing = await home.run(['search', 'vec', '--queries', 'missing.txt']);
    expect(missing).toMatchObject({ code: 3, stdout: '' });
    expect(missing.stderr).toMatch(/no file "missing\.txt"/);
  });

  it('writes what a search without hits may have meant as JSON, too', async () => {
    const found = await home.json<SearchResponse>(['search', 'vec', 'titel']);
    expect(found).toMatchObject({ total: 0, suggested_query: 'title' });
    expect(found.clauses).toMatchObject([{ clause: 'titel', total: 0, suggestion: 'title' }]);
    const fixed = await home.json<SearchResponse>(['search', 'vec', 'titel', '--fix']);
    expect(fixed.total).toBe(found.suggested_total);
  });

  it('writes what a search with hits may have meant as JSON, and no empty list', async () => {
    const found = await home.json<SearchResponse>(['search', 'vec', 'service = billing']);
    expect(found).toMatchObject({ suggested_query: 'service:billing' });
    expect(found.total).toBeGreaterThan(0);
    expect(found.notes).toEqual([expect.stringContaining('perhaps you mean service:billing')]);
    expect(Object.keys(await search('title'))).not.toContain('notes');
  });

  it('pages on through the query that --fix has searched for', async () => {
    const first = await home.run(['search', 'vec', 'titel', '--fix', '-n', '1']);
    expect(first.stdout).toContain('next: lhs search vec title --limit 1 --offset 1');
    const wrong = await home.run(['search', 'vec', 'id > 5', '--fix', '-n', '1']);
    expect(wrong.stdout).toContain("next: lhs search vec 'id:>5' --limit 1 --offset 1");
  });

  it.each([
    ['titel', 'title'],
    ['id > 5', 'id:>5'],
  ])('writes as JSON which query --fix has searched for: %s', async (query, answered) => {
    const { total } = await search(answered);
    const found = await home.json(['search', 'vec', query, '--fix']);
    expect(found).toMatchObject({ answered_query: answered, total });
    expect(await home.json(['search', 'vec', answered, '--fix'])).not.toHaveProperty(
      'answered_query',
    );
  });

  it('names the help as JSON where no flag is near', async () => {
    const { stdout } = await home.run(['search', 'vec', 'title', '--nonsense', '--json']);
    expect(JSON.parse(stdout).error.details).toEqual({ hint: 'lhs search --help' });
  });

  it('says where a query is wrong, with a caret under it', async () => {
    const [field, syntax, wire, meant, { total }] = await Promise.all([
      home.run(['search', 'vec', 'titl:x AND service:billing']),
      home.run(['search', 'vec', 'service:billing AND (']),
      home.run(['search', 'vec', 'titl:x', '--json']),
      home.run(['search', 'vec', 'Title:title', '--json']),
      search('title:title'),
    ]);
    expect(JSON.parse(meant.stdout).error.details).toMatchObject({
      suggested_query: 'title:title',
      suggested_total: total,
    });
    expect(field).toMatchObject({ code: 2, stdout: '' });
    expect(lines(field.stderr)).toEqual([
      'error: field "titl" is not in index "vec"',
      '  titl:x AND service:billing',
      '  ^^^^',
      '  did you mean "title"?',
      '  fields: title, id, service, service_exact, at, details',
      '  lhs index describe vec',
    ]);
    expect(syntax.code).toBe(2);
    expect(lines(syntax.stderr)[2]).toMatch(/^ {22,24}\^$/);
    expect(wire).toMatchObject({ code: 2, stderr: '' });
    expect(JSON.parse(wire.stdout).error).toMatchObject({
      code: 'invalid_query',
      status: 400,
      details: { position: 0 },
    });
  });

  it('says which clause finds nothing, and the next page in full', async () => {
    const [none, next, dash, value] = await Promise.all([
      home.run(['search', 'vec', 'titel AND service:billing']),
      home.run(['search', 'vec', 'title', '--filter', 'id:[0 TO 30]', '--limit', '3', '--hydrate']),
      home.run(['search', 'vec', '--', '-title:title']),
      home.run(['search', 'vec', 'service=billing AND titel']),
    ]);
    expect(none.stdout).toMatch(
      /^0 hits\. titel: 0 \(did you mean title\? \d+ hits\) · service:billing: \d/,
    );
    expect(lines(next.stdout).at(-1)).toBe(
      `next: lhs search vec title --filter 'id:[0 TO 30]' --limit 3 --hydrate --offset 3`,
    );
    expect(dash.stdout).toMatch(/^2 hits/);
    expect(value.stdout).toMatch(
      /^0 hits\..*\n(.*\n)*"service=billing" is searched as words: .*\n(next: .*\n)?fields: .*\n$/,
    );
  });

  it.each(['aggregate', 'facets'])('says which clause counts nothing: %s', async (command) => {
    const field = command === 'facets' ? '--field' : '--terms';
    const { stderr } = await home.run([command, 'vec', 'titel', field, 'service']);
    expect(stderr).toMatch(/^0 hits\. titel: 0 \(did you mean title\? \d+ hits\)$/m);
    expect(stderr).toMatch(new RegExp(`^next: lhs ${command} vec title$`, 'm'));
  });

  it('refuses an answer that is older than --snapshot-min', async () => {
    const behind = await home.run(['search', 'vec', 'x', '--snapshot-min', '12345']);
    expect([3, 5]).toContain(behind.code);
  });
});

describe.each(BACKENDS)('lhs keys get on %s', (backend) => {
  const home = onBackend(local, backend);
  beforeAll(() => home.begin());
  afterAll(() => home.end());

  it('finds keys with any character', async () => {
    const rows = truth(ODD).snapshots.at(-1)?.rows ?? [];
    const escaped = (text: string) => text.replace(/[\\,=]/g, (c) => `\\${c}`);
    const keys = rows.map((r) => `the key=${escaped(String(r['the key']))}`);
    const answer = await home.json<{
      rows: { key: unknown; fields: Record<string, unknown> }[];
      missing: unknown[];
    }>(['keys', 'get', 'odd', ...keys]);
    expect(answer.missing).toEqual([]);
    expect(answer.rows.map((r) => r.fields)).toEqual(rows);
    const texts = rows.map((row) => String(row['the key']));
    const startsAlone = (text: string) =>
      texts.filter((other) => other.startsWith(text.slice(0, -1))).length === 1;
    const whole = texts.find((text) => text.length > 3 && startsAlone(text)) ?? '';
    const near = await home.run(['keys', 'get', 'odd', `the key=${escaped(whole.slice(0, -1))}`]);
    expect(near.code).toBe(3);
    expect(near.stderr).toContain(`: did you mean the key=${escaped(whole)}?`);
  });

  it('takes keys from a file, columns, and exits 3 for an absent one', async () => {
    const [some, bad, none, text, several, words] = await Promise.all([
      home.run(['keys', 'get', 'vec', '--keys', '-', '--columns', 'title', '--json'], {
        input: 'id=0\nid=4711\n',
      }),
      home.run(['keys', 'get', 'vec', 'sha=1']),
      home.run(['keys', 'get', 'vec']),
      home.run(['keys', 'get', 'vec', 'id=4']),
      home.run(['keys', 'get', 'vec', 'service=billing']),
      home.run(['keys', 'get', 'vec', 'title=Title 7', '--columns', 'title']),
    ]);
    expect(words.stdout).toMatch(/^ {2}title +title 7$/m);
    expect(several.code).toBe(2);
    expect(several.stderr).toMatch(
      /\d+ rows have it \(query service_exact:billing\): did you mean id=\d+ or id=\d+/,
    );
    expect(some.code).toBe(3);
    expect(JSON.parse(some.stdout)).toMatchObject({
      rows: [{ fields: { title: 'title 0' } }],
      missing: [{ identifier: [{ name: 'id', value: '4711' }] }],
    });
    expect(bad.code).toBe(2);
    expect(none.code).toBe(2);
    expect(none.stderr).toMatch(/id=…/);
    expect(lines(text.stdout)[0]).toBe('id=4');
    expect(text.stderr).toMatch(/^1 row in /);
  });
});

describe('source', () => {
  it('describes tables, snapshots and refs', async () => {
    const [described, text, snapshots, shown] = await Promise.all([
      home.json<Record<string, unknown>>(['source', 'describe', '--path', VECTORS]),
      home.run(['source', 'describe', '--path', VECTORS]),
      home.json<{ refs: unknown[]; snapshots: unknown[] }>([
        'source',
        'snapshots',
        '--path',
        BRANCHES,
      ]),
      home.run(['source', 'snapshots', '--path', BRANCHES]),
    ]);
    expect(described).toMatchObject({ format_version: 3, identifier: ['id'], snapshots: 6 });
    expect(text.stdout).toMatch(/Iceberg v3, 6 snapshots/);
    expect(snapshots.refs).toHaveLength(3);
    expect(snapshots.snapshots).toHaveLength(5);
    expect(lines(shown.stdout)).toHaveLength(6);
  });

  it('prints the rows of snapshots, refs, conditions and columns', async () => {
    const { snapshots } = truth(BRANCHES);
    const rows = (...flags: string[]) =>
      home.run(['source', 'rows', '--path', BRANCHES, ...flags]).then((done) => {
        expect(done).toMatchObject({ code: 0, stderr: '' });
        return done.stdout === '' ? [] : lines(done.stdout).map((line) => JSON.parse(line));
      });
    const byId = (list: readonly Record<string, unknown>[]) =>
      [...list].sort((a, b) => Number(a.id) - Number(b.id));
    const [first, audit, where, limited, none] = await Promise.all([
      rows('--snapshot', snapshots[0].id),
      rows('--ref', 'audit'),
      rows('--where', 'id < 4 AND title IS NOT NULL', '--columns', 'title,id'),
      rows('--limit', '2'),
      rows('--limit', '0'),
    ]);
    expect(byId(first)).toEqual(byId(snapshots[0].rows));
    expect(byId(audit)).toEqual(byId(snapshots[1].rows));
    expect(byId(where)).toEqual([0, 1, 2, 3].map((id) => ({ title: `title ${id}`, id })));
    expect(limited).toHaveLength(2);
    expect(none).toEqual([]);
  });

  it('prints net changes', async () => {
    const { snapshots } = truth(VECTORS);
    const args = ['source', 'changes', '--path', VECTORS];
    const done = await home.run([...args, '--from', snapshots[3].id, '--to', snapshots[4].id]);
    const changes = lines(done.stdout).map((line) => JSON.parse(line));
    expect(changes.map((c) => [c.op, c.key.id])).toEqual([
      ['insert', 1],
      ['insert', 200],
      ['update', 4],
    ]);
    expect(changes[2]).toMatchObject({ before: { title: 'title 4' }, after: { title: 'changed' } });
  });

  it('imports, deletes and upserts, and others see it', async () => {
    const lake = home.path('lake');
    const at = ['--warehouse', lake];
    writeFileSync(home.path('a.ndjson'), '{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n');
    writeFileSync(home.path('b.csv'), 'id,name\n3,c\n');
    writeFileSync(home.path('c.ndjson'), '{"id":2,"name":"B"}\n{"id":9,"name":"i"}\n');
    const made = await home.json<Record<string, unknown>>([
      'source',
      'import',
      home.path('a.ndjson'),
      ...['--table', 'my.t', ...at, '--key', 'id', '--format-version', '3'],
    ]);
    expect(made).toMatchObject({ table: 'my.t', inserted: 2 });
    const twice = await home.run([
      'source',
      'import',
      home.path('a.ndjson'),
      ...['--table', 'my.t', ...at],
    ]);
    expect(twice.code).toBe(2);
    expect(twice.stderr).not.toMatch(/bug in lhs/);
    const append = ['--table', 'my.t', ...at, '--append'];
    const piped = await home.run(['source', 'import', '-', ...append], { input: 'id;name\n3;c\n' });
    expect(lines(piped.stdout)[1]).toBe(
      'read as CSV (delimiter ";", names from line 1), types from all values',
    );
    const upsert = await home.json(['source', 'upsert', 'my.t', home.path('c.ndjson'), ...at]);
    expect(upsert).toMatchObject({ inserted: 1, updated: 1 });
    const asked = await home.run(['source', 'delete', 'my.t', ...at, '--where', 'id = 1']);
    expect(asked).toMatchObject({ code: 2, stdout: '' });
    expect(asked.stderr).toMatch(/--yes/);
    const gone = await home.json(['source', 'delete', 'my.t', ...at, '--where', 'id = 1', '-y']);
    expect(gone).toMatchObject({ deleted: 1 });
    const none = await home.run(['source', 'delete', 'my.t', ...at, '--where', 'id = 1', '-y']);
    expect(none.stdout).toMatch(/nothing was committed/);
    const rows = await home.run(['source', 'rows', 'my.t', ...at]);
    expect(
      lines(rows.stdout)
        .map((line) => JSON.parse(line))
        .sort((a, b) => a.id - b.id),
    ).toEqual([
      { id: 2, name: 'B' },
      { id: 3, name: 'c' },
      { id: 9, name: 'i' },
    ]);
    expect(await home.json(['source', 'tables', ...at])).toEqual({ tables: ['my.t'] });
  });

  it('reports how far an import is, and leaves nothing of one that is interrupted', async () => {
    const rows = Array.from({ length: 200_000 }, (_, id) => `${id},text number ${id}\n`);
    writeFileSync(home.path('many.csv'), `id,text\n${rows.join('')}`);
    const into = ['--table', 'my.many', '--warehouse', home.path('lake3')];
    const args = ['source', 'import', home.path('many.csv'), ...into, '--json'];
    const child = home.start(args);
    child.stderr?.once('data', () => child.kill('SIGINT'));
    expect(await ended(child)).toMatchObject({ code: 130 });
    expect(existsSync(home.path('lake3'))).toBe(false);
    const done = await home.run(args);
    expect(JSON.parse(done.stdout)).toMatchObject({ inserted: 200_000 });
    const [event] = lines(done.stderr).map((line) => JSON.parse(line));
    expect(event).toMatchObject({ table: 'my.many', phase: 'reading', rows_done: 0 });
  });

  it('names what is not there, with exit 3 or 2', async () => {
    const into = ['--table', 'a.b', '--warehouse', home.path('x')];
    const cases: [string[], number, RegExp][] = [
      [['rows', '--path', '/nowhere'], 3, /no table at "\/nowhere"/],
      [['rows', 'a.b', '--warehouse', '/nowhere'], 3, /a\.b/],
      [['rows', '--path', BRANCHES, '--snapshot', '12'], 3, /snapshot 12/],
      [['rows', '--path', BRANCHES, '--snapshot', 'x'], 2, /"x" is not a snapshot id/],
      [['rows', '--path', BRANCHES, '--ref', 'x'], 3, /main, audit, v1/],
      [['rows', '--path', BRANCHES, '--columns', 'id,nope'], 3, /no column "nope"/],
      [['rows', '--path', BRANCHES, '--where', 'id ='], 2, /is not SQL/],
      [['rows'], 2, /--warehouse DIR/],
      [['rows', 'a.b', '--path', BRANCHES], 2, /one too many/],
      [['describe', '--warehouse', '/nowhere'], 2, /name of the table is missing/],
      [['import', 'nope.parquet', ...into], 3, /^error: no file "nope.parquet"$/m],
      [['upsert', 'a.b', 'nope.csv', '--warehouse', home.path('x')], 3, /no file "nope.csv"/],
      [['import', '.', ...into], 2, /files end in \.parquet/],
      [['import', '/dev/null', ...into], 2, /not a regular file/],
      [['import', 'a.xlsx', ...into], 3, /no file "a.xlsx"/],
    ];
    await Promise.all(
      cases.map(async ([args, code, message]) => {
        const done = await home.run(['source', ...args]);
        expect([args, done.code, done.stdout]).toEqual([args, code, '']);
        expect(done.stderr).toMatch(message);
        expect(done.stderr).not.toMatch(/bug in lhs/);
      }),
    );
  });
});

describe('the rest', () => {
  it('config keeps settings in the user’s file, flags and environment win', async () => {
    const env = { LHS_DATA_DIR: '' };
    const kept = await home.run(['config', 'set', 'data_dir', home.path('other')]);
    expect(kept.stdout).toContain(home.path('config', 'lhs', 'config.yaml'));
    const [user, flag, bad] = await Promise.all([
      home.json<{ settings: unknown[] }>(['config', 'view'], { env }),
      home.run(['config', 'view', '--show-origin', '--data-dir', '/x'], { env }),
      home.run(['config', 'set', 'colour', 'x']),
    ]);
    expect(user.settings).toContainEqual(
      expect.objectContaining({ key: 'data_dir', value: home.path('other'), origin: 'user' }),
    );
    expect(flag.stdout).toMatch(/data_dir +\/x +flag/);
    expect(bad.code).toBe(2);
    await home.run(['config', 'set', 'data_dir', '']);
  });

  it('doctor, version, the first screen, help', async () => {
    const [doctor, version, short, first, help, url] = await Promise.all([
      home.json<{ ok: boolean; checks: { name: string }[] }>(['doctor']),
      home.json<{ version: string }>(['version']),
      home.run(['--version']),
      home.run([]),
      home.run(['index', 'search', '--help']),
      home.run(['index', 'list', '--url', 'http://127.0.0.1:1']),
    ]);
    expect(doctor.ok).toBe(true);
    expect(doctor.checks.map(({ name }) => name).slice(0, 2)).toEqual(['lhs', 'node']);
    expect(short.stdout).toBe(`lhs ${version.version}\n`);
    expect(first.stdout).toContain(`data folder: ${home.path('data')}`);
    for (const line of lines(first.stdout)) {
      if (!line.startsWith('data folder')) expect(line.length).toBeLessThanOrEqual(80);
    }
    for (const [, command] of first.stdout.matchAll(/^ {2}lhs ((?:[a-z]+ )+)/gm)) {
      const words = command.trim().split(' ');
      expect((await home.run([...words, '--help'])).stdout).toMatch(/^USAGE/m);
    }
    expect(help.stdout.indexOf('EXAMPLES')).toBeLessThan(help.stdout.indexOf('USAGE'));
    expect(url.code).toBe(7);
    expect(url.stderr).toMatch(/cannot reach "http:\/\/127.0.0.1:1"/);
  });

  it('short flags mean the long ones', async () => {
    const [version, long, ofShort, ofLong] = await Promise.all([
      home.run(['-V']),
      home.run(['--version']),
      home.run(['config', 'view', '-h']),
      home.run(['config', 'view', '--help']),
    ]);
    expect(version.stdout).toBe(long.stdout);
    expect(ofShort.stdout).toBe(ofLong.stdout);
    const help = await home.run(['index', 'search', '--help']);
    expect(help.stdout).toMatch(/-n, --limit/);
    expect(help.stdout).toMatch(/-o, --output/);
  });

  it('doctor looks at an index and at the data files of a table', async () => {
    const at = ['--path', `${TABLES}py_types`];
    const [own, shown, table, lines_, index, both] = await Promise.all([
      home.json<{ index: string; findings: { kind: string }[] }>(['doctor', 'vec']),
      home.run(['doctor', 'vec']),
      home.json<{ ok: boolean; files: number; row_bytes: number }>(['doctor', ...at]),
      home.run(['doctor', ...at]),
      home.run(['doctor', 'nope']),
      home.run(['doctor', 'nope', ...at]),
    ]);
    // Other tests of this file may have left a generation that is kept for a rollback.
    const found = own.findings.filter(({ kind }) => kind !== 'kept_generations');
    expect([own.index, found]).toMatchObject(['vec', [{ kind: 'backup', level: 'note' }]]);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('no backup target')]);
    expect(shown.stdout).toContain('lhs index backup vec');
    expect(table).toMatchObject({ ok: true, table: 'py_types', files: 1, findings: [] });
    expect(table.row_bytes).toBeGreaterThan(0);
    expect(lines_.stdout).toContain('the layout is well suited to reading single rows');
    expect([index.code, index.stderr]).toEqual([3, expect.stringMatching(/no index "nope"/)]);
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringMatching(/already determines the table/),
    ]);
  });

  it('helps with commands and flags that do not exist', async () => {
    const [command, flag, number] = await Promise.all([
      home.run(['index', 'serch', 'vec']),
      home.run(['search', 'vec', 'x', '--limt', '3']),
      home.run(['search', 'vec', 'x', '--limit', 'many']),
    ]);
    for (const done of [command, flag, number]) {
      expect(done).toMatchObject({ code: 2, stdout: '' });
    }
    expect(command.stderr).toMatch(/did you mean lhs index search\?/);
    expect(flag.stderr).toMatch(/did you mean --limit\?/);
    expect(lines(number.stderr)[0]).toMatch(/^error: .*--limit.*many/);
  });

  it('joins words of a query, negations among them', async () => {
    const search = (...words: string[]) => home.json<Answer>(['search', 'vec', ...words]);
    const [joined, quoted, negated, excluded] = await Promise.all([
      search('title', '6', '-service:billing'),
      search('title 6 -service:billing'),
      search('-service:billing', '-n', '30'),
      search('NOT service:billing', '-n', '30'),
    ]);
    expect(ids(joined)).toEqual(ids(quoted));
    expect(ids(negated)).toEqual(ids(excluded));
    expect(ids(negated).length).toBeGreaterThan(0);
  });

  it('prints totals and facets alone with --limit 0', async () => {
    const args = ['title', '--facet', 'service'];
    const none = await home.json<Answer>(['search', 'vec', ...args, '--limit', '0']);
    const some = await home.json<Answer>(['search', 'vec', ...args]);
    const { hits, took_ms: _, lag_checked_ms: __, ...rest } = some as Answer & Loose;
    expect(none).toMatchObject({ ...rest, hits: [] });
    expect(hits.length).toBe(10);
    writeFileSync(home.path('one.txt'), 'title\n');
    const file = ['--queries', home.path('one.txt'), '--limit', '0'];
    expect(await home.json<Answer>(['search', 'vec', ...file])).toMatchObject({ hits: [] });
  });

  it('names the flag that was typed', async () => {
    const typed = [
      [['search', 'vec', 'x', '--facets', 'nope'], '--facets'],
      [['search', 'vec', 'x', '--field', 'nope'], '--field'],
      [['facets', 'vec', '--fields', 'service,nope'], '--fields'],
      [['facets', 'vec', '--limit', 'x'], '--limit'],
    ] as const;
    for (const [args, flag] of typed) {
      const { code, stderr } = await home.run(args);
      expect([code, stderr]).toEqual([2, expect.stringMatching(`^error: ${flag} `)]);
    }
  });
});
