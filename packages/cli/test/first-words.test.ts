import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home, TABLES } from './child.ts';

/** What somebody types first who comes from another tool. */
const home = new Home();
afterAll(() => home.dispose());

beforeAll(async () => {
  const { stdout } = await home.run([
    ...['index', 'init', '--path', join(TABLES, 'own_vectors'), '--name', 'vec'],
  ]);
  writeFileSync(home.path('vec.yaml'), stdout);
  await home.json(['index', 'create', home.path('vec.yaml')]);
  await home.json(['index', 'reindex', 'vec']);
});

/** A command line, its exit code, and what it prints. */
const FIRST: readonly (readonly [line: string, code: number, output: RegExp])[] = [
  ['--version', 0, /^lhs \d/],
  ['-v', 0, /^lhs \d/],
  ['version', 0, /^lhs \d/],
  ['--help', 0, /^Keep it in sync +sync, status, verify, /m],
  ['-h', 0, /^lhs: search any/],
  ['help', 0, /^lhs: search any/],
  ['help -n', 0, /^ {2}sync +Apply the table/m],
  ['search --help', 0, /^USAGE\n {2}\$ lhs search INDEX/m],
  ['windows --help', 2, /did you mean lhs index windows\?/],
  ['list', 0, /^vec +live/m],
  ['ls', 0, /^vec +live/m],
  ['index ls', 2, /did you mean lhs index list\?/],
  ['indices', 2, /did you mean lhs list\?/],
  ['status vec', 0, /^vec/m],
  ['describe vec', 2, /did you mean lhs index describe, /],
  ['index info vec', 2, /did you mean lhs index describe\?/],
  ['index stats vec', 2, /did you mean lhs index describe\?/],
  ['vec title', 0, /hits in vec/],
  ['vecs title', 2, /did you mean lhs search vec\?/],
  ['search vec title 6', 0, /hits in vec/],
  ['search vec title -n 5', 0, /hits in vec/],
  ['search vec title -n5', 0, /hits in vec/],
  ['search vec -service:billing', 0, /hits in vec/],
  ['search vec title --limit 0', 0, /^\d+ hits in vec[^\n]*\n$/],
  ['search vec title --size 5', 2, /did you mean --limit\?/],
  ['search vec title --top 5', 2, /did you mean --limit\?/],
  ['search vec title --from 5', 2, /did you mean --offset\?/],
  ['search vec title --where service:billing', 2, /did you mean --filter\?/],
  ['search vec title --order-by id', 2, /did you mean --sort\?/],
  ['search vec --query title', 2, /query is an argument/],
  ['find vec title', 2, /did you mean lhs search\?/],
  ['query vec title', 2, /did you mean lhs search\?/],
  ['grep title', 2, /did you mean lhs search\?/],
  ['serach vec title', 2, /did you mean lhs search\?/],
  ['count vec', 2, /did you mean lhs search\?/],
  ['facets vec --field service', 0, /billing/],
  ['facets vec service', 0, /to count a field: --field service$/m],
  ['facets vec title', 0, /to count a field: --field title$/m],
  ['facet vec', 2, /did you mean lhs facets\?/],
  ['aggregate vec --terms service', 0, /billing/],
  ['explain vec title --key id=1', 0, /id=1/],
  ['get vec id=1', 2, /did you mean lhs keys get\?/],
  ['keys get vec --key id=1', 0, /^id=1/],
  ['tables', 2, /did you mean lhs source tables\?/],
  ['head t', 2, /did you mean lhs source rows\?/],
  ['load rows.csv', 2, /did you mean lhs import\?/],
  ['insert rows.csv', 2, /did you mean lhs import\?/],
  ['init ns.t', 2, /did you mean lhs index init\?/],
  ['create f.yaml', 2, /did you mean lhs index create\?/],
  ['sync vec', 0, /nothing to do/],
  ['update vec', 2, /did you mean lhs sync\?/],
  ['refresh vec', 2, /did you mean lhs sync\?/],
  ['rebuild vec', 2, /did you mean lhs reindex\?/],
  ['verify vec', 0, /^27 rows compared/],
  ['index doctor vec', 2, /did you mean lhs doctor\?/],
  ['health', 2, /did you mean lhs doctor\?/],
  ['rm vec', 2, /did you mean lhs delete\?/],
  ['source ls', 2, /did you mean lhs source tables\?/],
  ['source rm t', 2, /did you mean lhs source delete, lhs source drop\?/],
  ['drop vec', 2, /did you mean lhs index drop\?/],
  ['index delete vec', 2, /did you mean lhs index drop\?/],
  ['server', 2, /did you mean lhs serve all\?/],
  ['serve all --port 8080', 2, /did you mean --rest-addr\?/],
  ['ui', 2, /did you mean lhs tui\?/],
  ['settings', 2, /did you mean lhs config view\?/],
  ['completion bash', 0, /complete -F _lhs lhs/],
  ['rename missing other', 3, /there is no index "missing"/],
  ['index mv vec other', 2, /did you mean lhs index rename\?/],
  ['delete vec --yes', 0, /^vec dropped/],
];

describe('the first commands of users of other tools', () => {
  it.each(FIRST)('lhs %s', async (line, code, output) => {
    const done = await home.run(line.split(' '));
    const printed = done.stdout + done.stderr;
    expect(printed).toMatch(output);
    expect(done.code).toBe(code);
    // one style: a sentence, then the way out
    if (code === 2) expect(done.stderr).toMatch(/^error: [^\n]+[^.]\n {2}/);
  });
});
