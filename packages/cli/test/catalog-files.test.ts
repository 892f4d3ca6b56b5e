import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home, lines } from './child.ts';

/** Catalog files of `--catalog`: their paths, and what is refused in them. */
const home = new Home();
afterAll(() => {
  console.log(`catalog files: ${home.runs} processes`);
  home.dispose();
});
const write = (name: string, text: string) => {
  writeFileSync(home.path('sub', name), text);
  return `sub/${name}`;
};

beforeAll(async () => {
  mkdirSync(home.path('sub'));
  writeFileSync(home.path('rows.ndjson'), '{"id":1,"title":"a timeout"}\n');
  write('fs.yaml', 'type: filesystem\nwarehouse: ./lake\n');
  write('sql.yaml', 'type: sql\nuri: sqlite:///catalog.db\nwarehouse: sql\n');
});

describe('relative paths in a catalog file', () => {
  it.each(['fs.yaml', 'sql.yaml'])('are resolved against the file: %s', async (name) => {
    const at = ['--catalog', `sub/${name}`];
    await home.json(['source', 'import', 'rows.ndjson', '--table', 't.rows', '--key', 'id', ...at]);
    const elsewhere = ['--catalog', home.path('sub', name)];
    const { stdout } = await home.run(['source', 'tables', ...elsewhere], { cwd: '/' });
    expect(lines(stdout)).toEqual(['t.rows']);
    const init = await home.run(['index', 'init', 't.rows', ...at, '--name', `i_${name[0]}`]);
    expect(init.stdout).toContain(home.path('sub'));
    const created = await home.run(['index', 'create', '-f', '-'], {
      input: init.stdout,
      cwd: '/',
    });
    expect([created.code, created.stderr]).toEqual([0, '']);
  });
});

describe('a fault in a catalog file', () => {
  it.each([
    [
      'type: rest\nurl: http://localhost:1\n',
      'unknown key "url" in a rest catalog; did you mean "uri"?',
    ],
    ['type: rest\n', 'a rest catalog needs "uri"'],
    ['type: rest\nuri: 5\n', 'the catalog.uri must be a string, not 5'],
    ['type: filesytem\nwarehouse: x\n', 'did you mean "filesystem"?'],
    ['warehouse: x\n', 'the catalog must be a map with a type'],
    ['[1]\n', 'the catalog must be a map with a type'],
    ['', 'the catalog file is empty'],
    ['type: [\n', 'sub/bad.yaml:'],
  ])('is refused with its place: %j', async (text, message) => {
    const file = write('bad.yaml', text);
    const { code, stderr } = await home.run(['source', 'tables', '--catalog', file]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: sub\/bad\.yaml:\d+:\d+: /);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('bug in lhs');
  });
});

describe('a warehouse that may not be written', () => {
  it('is a refused permission, not a bug', async () => {
    const at = ['--table', 't.rows', '--warehouse', '/sys/lhs'];
    const { code, stderr } = await home.run(['source', 'import', 'rows.ndjson', ...at]);
    expect([code, stderr]).toEqual([4, expect.stringContaining('"/sys/lhs')]);
    expect(stderr).not.toContain('bug in lhs');
  });
});
