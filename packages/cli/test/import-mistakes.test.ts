import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { Home } from './child.ts';

/** What an import says about a mistake, and about a table that could be a better one. */
const home = new Home();
afterAll(() => home.dispose());

const into = (table: string) => ['--table', table, '--warehouse', home.path('my lake')];
const run = (line: readonly string[]) => home.run(['import', ...line], { cwd: home.folder });

/** The words of a command as a POSIX shell reads them. */
const shellWords = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));

writeFileSync(home.path('rows.csv'), 'id,name\n1,a\n1,b\n2,c\n');

describe('an import', () => {
  it.each([
    [['rows.csv', '--key', 'id'], 1, /key \["1"\] twice.*\n {2}--key A,B .*--allow-duplicate-keys/],
    [['row.csv'], 3, /no file "row.csv"\n {2}did you mean "rows.csv"\?/],
    [['rows.csv', '--key', 'nam'], 2, /\(id, name\)\n {2}did you mean name\?/],
    [['rows.csv', '--type', 'idd=int'], 2, /"idd".*\n {2}did you mean id\?/],
    [['rows.csv', '--type', 'id=itn'], 2, /"itn".*\n {2}did you mean int\?/],
    [
      ['rows.csv', '--partition-by', 'day(id)'],
      2,
      /"day\(id\)".*\n {2}--partition-by takes COLUMN/,
    ],
  ])('names the way out of %j', async (line, code, message) => {
    const done = await run([...line, ...into('m.wrong')]);
    expect(done).toMatchObject({ code, stdout: '' });
    expect(done.stderr).toMatch(message);
  });

  it('notes in JSON, too, that the rows may be inside of one row', async () => {
    writeFileSync(home.path('one.json'), '{"a": [1], "b": {"x": 1}, "c": 2}');
    const { stdout } = await run(['one.json', ...into('m.one'), '--json']);
    const notes = [{ note: 'one_row', columns: ['a', 'b'], isByColumns: false }];
    expect(JSON.parse(stdout)).toMatchObject({ inserted: 1, notes });
  });

  it('names the column that rows of another header may mean', async () => {
    writeFileSync(home.path('more.csv'), 'id,nome\n3,d\n');
    expect(await run(['rows.csv', ...into('m.rows')])).toMatchObject({ code: 0 });
    const more = ['more.csv', ...into('m.rows'), '--append'];
    const refused = await run(more);
    expect(refused.stderr).toMatch(/no column "nome".*\n {2}--rename nome=name reads it as name/);
    expect(await run([...more, '--rename', 'nome=name'])).toMatchObject({ code: 0 });
  });

  it.each([
    ['delays.csv', 'id,delay,day\n1,NA,24.12.2025\n2,3,25.12.2025\n3,4,26.12.2025\n4,5,1.1.2026\n'],
    ['app log.txt', '2026-01-01 10:00:00 INFO started\n2026-01-01 10:00:01 WARN full\n'],
  ])('prints a command that reads %s as the notes advise', async (name, text) => {
    writeFileSync(home.path(name), text);
    const first = await run([name, ...into(`m.t${text.length}`)]);
    const again = /^next: lhs (import .*--replace .*)$/m.exec(first.stdout)?.[1] ?? '';
    const done = await home.run(shellWords(again), { cwd: home.folder });
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toMatch(/delay long, day date|timestamp timestamp, level string/);
    expect(done.stdout).not.toMatch(/^note: |--replace/m);
  });

  it('takes the flags that make lists of lists beside texts', async () => {
    writeFileSync(home.path('faces.json'), '[{"a b":":)"},{"a b":["xD","XD"]},{"a b":"b"}]');
    const { stdout } = await run(['faces.json', ...into('m.faces')]);
    expect(stdout).toContain('a b is text: 1 of 3 values is a list, kept as JSON text; ');
    const [, lists, text] =
      /; (--type .*?) reads them .* \((--type .*) keeps it\)/.exec(stdout) ?? [];
    for (const [table, flags, kind] of [
      ['m.lists', lists, 'variant'],
      ['m.texts', text, 'string'],
    ]) {
      const done = await run(['faces.json', ...into(table), ...shellWords(flags)]);
      expect(done.code, done.stderr).toBe(0);
      expect(done.stdout).toContain(`a b ${kind}`);
      expect(done.stdout).not.toContain('note: ');
    }
  });

  it('takes the command that a search of numbers in texts advises', async () => {
    const rows = [
      { id: 1, 'a b': 11 },
      { id: 2, 'a b': '' },
      { id: 3, 'a b': 2.5 },
    ];
    writeFileSync(home.path('mixed.json'), JSON.stringify(rows));
    const made = await run(['mixed.json', ...into('m.mixed'), '--key', 'id']);
    expect(made.stdout).toContain('a b string');
    const warehouse = ['--warehouse', home.path('my lake')];
    const { stdout } = await home.run(['index', 'init', 'm.mixed', ...warehouse]);
    writeFileSync(home.path('mixed.yaml'), stdout);
    await home.run(['index', 'create', home.path('mixed.yaml')]);
    await home.run(['index', 'reindex', 'mixed']);
    const found = await home.run(['search', 'mixed', 'a_b:>10']);
    const [, command = ''] = /lhs (import FILE .*)$/m.exec(found.stdout + found.stderr) ?? [];
    const advised = command.replace('FILE', 'mixed.json');
    const again = [...shellWords(advised), ...warehouse];
    const done = await home.run(again, { cwd: home.folder });
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toContain('a b double');
  });

  it('prints the command of an upsert whose table and file are turned', async () => {
    const at = ['--warehouse', home.path('my lake'), '--key', 'id'];
    writeFileSync(home.path('turned.csv'), 'id,name\n7,g\n');
    expect(await run(['turned.csv', ...into('m.turned')])).toMatchObject({ code: 0 });
    const said = await home.run(['source', 'upsert', 'turned.csv', 'm.turned', ...at]);
    const again = /^ {2}lhs (source upsert m\.turned turned\.csv .*)$/m.exec(said.stderr)?.[1];
    const done = await home.run(shellWords(again ?? ''), { cwd: home.folder });
    expect(done).toMatchObject({ code: 0, stderr: '' });
  });
});
