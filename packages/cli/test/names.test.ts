import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home, lines, TABLES } from './child.ts';
import { BACKENDS, onBackend } from './on-backend.ts';

/** What is kept beside the indexes, by the command: points in time, aliases, saved queries. */
const local = new Home();
const home = local;
const VECTORS = join(TABLES, 'own_vectors');
afterAll(() => home.dispose());

interface Answer {
  readonly total: number;
  readonly hits: readonly { readonly sort?: unknown[] }[];
}

beforeAll(async () => {
  const { stdout } = await home.run(['index', 'init', '--path', VECTORS, '--name', 'vec']);
  writeFileSync(home.path('vec.yaml'), stdout.replace('# - { name: meaning', '- { name: meaning'));
  await home.json(['index', 'create', '-f', home.path('vec.yaml')]);
  await home.json(['index', 'reindex', 'vec']);
});

describe.each(BACKENDS)('lhs alias on %s', (backend) => {
  const home = onBackend(local, backend);
  beforeAll(() => home.begin());
  afterAll(() => home.end());

  it('stands for an index in every command, until it is dropped', async () => {
    expect((await home.run(['alias', 'list'])).stdout).toMatch(/^no aliases yet\n/);
    const set = await home.run(['alias', 'set', 'live', 'vec']);
    expect(set.stdout).toBe('live is now an alias of vec\n');
    const [list, shown, wire, key, clash, drop] = await Promise.all([
      home.run(['alias', 'list']),
      home.run(['search', 'live', 'title:title', '--limit', '1']),
      home.json(['alias', 'list']),
      home.json<{ rows: unknown[] }>(['keys', 'get', 'live', 'id=12']),
      home.run(['alias', 'set', 'vec', 'vec']),
      home.run(['index', 'drop', 'live', '--yes']),
    ]);
    expect(lines(list.stdout)).toEqual(['alias  index', 'live   vec']);
    expect(lines(shown.stdout)[0]).toMatch(/ hits in vec · /);
    expect(wire).toEqual({ aliases: [{ alias: 'live', index: 'vec' }] });
    expect(key.rows).toHaveLength(1);
    expect(clash).toMatchObject({ code: 5, stdout: '' });
    expect(drop.code).toBe(2);
    expect(drop.stderr).toMatch(/"live" is an alias of index "vec"/);
    const dropped = await home.run(['alias', 'drop', 'live']);
    expect(dropped.stdout).toBe('alias live removed; its index stays\n');
    expect((await home.run(['search', 'live', 'x'])).code).toBe(3);
  });
});

describe.each(BACKENDS)('lhs query on %s', (backend) => {
  const home = onBackend(local, backend);
  beforeAll(() => home.begin());
  afterAll(() => home.end());

  it('is not saved where it could not run', async () => {
    const save = (...more: string[]) => home.run(['query', 'save', 'bad', 'vec', ...more]);
    const [syntax, field, sort] = await Promise.all([
      save('(x'),
      save('nope:x'),
      save('title', '--sort', 'nope'),
    ]);
    expect([syntax, field, sort].map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(syntax.stderr).toContain('"("');
    expect(field.stderr).toContain('"nope"');
    expect(sort.stderr).toContain('"nope"');
    expect(
      (await home.json<{ saved_queries: unknown[] }>(['query', 'list'])).saved_queries,
    ).toEqual([]);
  });

  it('saves, lists, runs, replaces and drops', async () => {
    const save = ['query', 'save', 'few', 'vec', 'title:title'];
    const saved = await home.run([...save, '--sort', 'id:desc', '--limit', '2']);
    expect(saved.stdout).toBe('few saved\nnext: lhs query run few\n');
    const [twice, list, run, paged, read, near, csv, file] = await Promise.all([
      home.run(save),
      home.run(['query', 'list']),
      home.json<Answer>(['query', 'run', 'few']),
      home.json<Answer>(['query', 'run', 'few', '--limit', '3', '--offset', '1']),
      home.run(['query', 'run', 'few']),
      home.run(['query', 'run', 'fwe']),
      home.run(['query', 'run', 'few', '--format', 'csv']),
      home.run(['query', 'run', 'few', '--output', home.path('few.ndjson')]),
    ]);
    const search = ['search', 'vec', 'title:title', '--sort', 'id:desc', '--limit', '2'];
    expect(csv.stdout).toBe((await home.run([...search, '--format', 'csv'])).stdout);
    expect(file.stdout).toBe('');
    const rows = readFileSync(home.path('few.ndjson'), 'utf8');
    expect(rows).toBe((await home.run([...search, '--format', 'ndjson'])).stdout);
    expect(twice.code).toBe(5);
    expect(lines(list.stdout)[1]).toMatch(/^few +vec +lexical +title:title/);
    expect([run.hits.length, paged.hits.length]).toEqual([2, 3]);
    expect(paged.hits[0]).toEqual(run.hits[1]);
    expect(lines(read.stdout)[0]).toMatch(/ hits in vec · /);
    expect(near.code).toBe(3);
    expect(near.stderr).toMatch(/there is no saved query "fwe"; did you mean "few"\?/);
    const override = ['query', 'run', 'few', '--filter', 'id:12', '--facet', 'id'];
    const narrowed = await home.json<Answer & { facets: unknown[] }>(override);
    expect([narrowed.total, narrowed.facets.length]).toEqual([1, 1]);
    const shownQuery = await home.run(['query', 'show', 'few']);
    expect(lines(shownQuery.stdout).slice(0, 2)).toEqual([
      'few: a lexical search of vec',
      'query    title:title  sort: id:desc',
    ]);
    const foreign = await home.run(['query', 'run', 'few', '--k', '3']);
    expect(foreign.code).toBe(2);
    expect(foreign.stderr).toContain('--k goes with --mode semantic or hybrid');
    const about = ['--replace', '--description', 'all of them'];
    await home.run(['query', 'save', 'few', 'vec', ...about]);
    const { saved_queries: all } = await home.json<{ saved_queries: unknown[] }>(['query', 'list']);
    const request = { index: 'vec', query: '*:*' };
    expect(all).toMatchObject([{ name: 'few', description: 'all of them', request }]);
    const semantic = ['vec', 'a title', '--mode', 'semantic', '--k', '3'];
    await home.json(['query', 'save', 'near', ...semantic]);
    const again = await home.json<Answer>(['query', 'run', 'near']);
    const searched = await home.json<Answer>(['search', ...semantic]);
    expect([again.hits, again.hits.length]).toEqual([searched.hits, 3]);
    expect((await home.json<Answer>(['query', 'run', 'near', '--k', '2'])).hits).toHaveLength(2);
    expect((await home.run(['query', 'drop', 'near'])).stdout).toBe('near dropped\n');
    expect((await home.run(['query', 'drop', 'few'])).stdout).toBe('few dropped\n');
    expect((await home.run(['query', 'list'])).stdout).toMatch(/^no saved queries yet\n/);
  });
});

describe.each(BACKENDS)('lhs index pit on %s', (backend) => {
  const home = onBackend(local, backend);
  beforeAll(() => home.begin());
  afterAll(() => home.end());

  it('opens, answers, closes; each in a process of its own', async () => {
    const opened = await home.run(['index', 'pit', 'open', 'vec', '--keep-alive', '10m']);
    const [pit] = lines(opened.stdout);
    expect(pit).toMatch(/^[\w-]{44}$/);
    expect(opened.stderr).toMatch(/^open until 20\S+Z; each search with --pit extends it\n$/);
    const first = await home.json<Answer>(['search', 'vec', '--pit', pit, '--limit', '20']);
    const after = JSON.stringify(first.hits.at(-1)!.sort);
    const page = ['search', 'vec', '--pit', pit, '--after', after];
    const [rest, shown] = await Promise.all([home.json<Answer>(page), home.run(page)]);
    expect([first.total, rest.total, rest.hits.length]).toEqual([27, 27, 7]);
    expect(lines(shown.stdout)[0]).toMatch(/^27 hits in vec · .* · at a point in time \(/);
    const closed = await home.run(['index', 'pit', 'close', 'vec', pit]);
    expect(closed).toMatchObject({ code: 0, stdout: 'closed\n' });
    const gone = await home.run(['search', 'vec', '--pit', pit]);
    expect(gone.code).toBe(3);
    expect(gone.stderr).toMatch(/it was closed, has expired, or is of another index or caller/);
    const again = await home.json(['index', 'pit', 'close', 'vec', pit]);
    expect(again).toEqual({ closed: false });
  });
});
