// @module-tag slow
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { Home, lines } from '../../packages/cli/test/child.ts';
import { LhsError } from '../../packages/contract/src/index.ts';
import { openEngine } from '../../packages/engine/src/local-backend.ts';

/**
 * Input that means harm, through the command line: refused by name, in bounded time, with nothing
 * left behind. Texts that attack terminals and CI logs: hostile-texts.test.ts.
 */
const home = new Home();
afterAll(() => {
  console.log(`hostile: ${home.runs} processes`);
  home.dispose();
});
const lake = home.path('lake');
const at = ['--warehouse', lake];

async function makeTable(name: string, rows: readonly object[], key = 'id'): Promise<void> {
  const file = home.path(`${name}.ndjson`);
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await home.json(['source', 'import', file, '--table', `h.${name}`, ...at, '--key', key]);
}

async function makeIndex(name: string, more = ''): Promise<void> {
  const init = await home.run(['index', 'init', `h.${name}`, ...at]);
  const created = await home.run(['index', 'create', '-f', '-'], { input: init.stdout + more });
  expect([created.code, created.stderr]).toEqual([0, '']);
}

/** A letter, or what comes nearest, of every Unicode plane, and texts that trip over something. */
const KEYS = [
  'a',
  'é',
  '日本',
  '\u{10400}',
  '\u{1f469}\u200d\u{1f467}',
  '\u{20000}',
  '\u{30000}',
  ...Array.from({ length: 10 }, (_, i) => String.fromCodePoint((i + 4) * 0x10000 + 0x21)),
  '\u{e0061}',
  '\u{f0000}',
  '\u{10fffd}',
  '\u0301',
  '\u202eevil',
  '\u0000zero',
  'line\nend',
  '\ttab',
  '-dash',
  '--',
  "'",
  '"',
  '\\',
  ',',
  '=',
  'a=b,c=d',
  '\ufeffbom',
  'x'.repeat(2000),
];

describe('keys of every plane', () => {
  it('are indexed, found, fetched and exported as they are', async () => {
    await makeTable(
      'keys',
      KEYS.map((id, i) => ({ id, name: `number ${i}` })),
    );
    await makeIndex('keys');
    const built = await home.json<{ doc_count: number }>(['index', 'reindex', 'keys']);
    expect(built.doc_count).toBe(KEYS.length);
    const exported = await home.run(['index', 'export', 'keys']);
    const ids = lines(exported.stdout).map(
      (line) => JSON.parse(line).coordinates.identifier[0].value as string,
    );
    const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    expect(ids).toEqual([...KEYS].sort(bytewise));
    const shell = KEYS.filter((key) => !key.includes('\0') && !key.includes('\n'));
    const written = shell.map((key) => `id=${key.replace(/[\\,=]/g, (c) => `\\${c}`)}`);
    const fetched = await home.json<{ rows: { fields: { id: string } }[]; missing: unknown[] }>([
      'keys',
      'get',
      'keys',
      ...written,
    ]);
    expect(fetched.missing).toEqual([]);
    expect(fetched.rows.map((r) => r.fields.id)).toEqual(shell);
    const text = await home.run(['search', 'keys', '*:*', '--limit', '100']);
    expect(text.code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(text.stdout).not.toMatch(/[\u0000\u0009\u001b\u202e]/);
  });
});

describe('two rows with one key', () => {
  it('are refused at reindex and at sync, naming the key and both places', async () => {
    await makeTable('twice', [{ id: 1, name: 'a' }]);
    await makeIndex('twice');
    await home.json(['index', 'reindex', 'twice']);
    writeFileSync(home.path('again.ndjson'), '{"id":1,"name":"b"}\n');
    const file = home.path('again.ndjson');
    const append = ['--append', '--allow-duplicate-keys'];
    await home.json(['source', 'import', file, '--table', 'h.twice', ...at, ...append]);
    const [sync, reindex] = [
      await home.run(['index', 'sync', 'twice']),
      await home.run(['index', 'reindex', 'twice']),
    ];
    for (const done of [sync, reindex]) {
      expect(done.code).toBe(1);
      expect(done.stderr).toMatch(/id=1\b.*row 0 of .*\.parquet and row 0 of .*\.parquet/);
      expect(done.stderr).not.toMatch(/bug in lhs/);
    }
    const found = await home.json<{ total: number; lag_snapshots: number }>(['search', 'twice']);
    expect(found).toMatchObject({ total: 1, lag_snapshots: 1 });
  });
});

describe('a hostile definition', () => {
  const good = (index: string, more = '') =>
    `version: 1\nindex: ${index}\nsource: { path: ${lake}/h/keys }\nkey: { identifier: [id] }\n` +
    `fields:\n  - { name: name, type: TEXT }\n${more}`;
  const anchors = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`);
  it.each<[string, string, RegExp]>([
    ['billion laughs', `a0: &a0 [x, x]\n${anchors.join('')}`, /alias|anchor|unknown key/i],
    ['a megabyte', good('big', `# ${'x'.repeat(2 ** 20)}\n`), /bytes|KiB|too (large|long)/],
    ['100,000 brackets', `fields: ${'['.repeat(100_000)}`, /deep|levels|nest/i],
    ['a path as name', good('../../etc/passwd'), /is not an index name/],
    ['a hidden name', good('.hidden'), /is not an index name/],
    ['a long name', good('a'.repeat(300)), /is not an index name/],
    ['an empty name', good('""'), /index must be/],
    ['a number as name', good('0x10'), /index/],
    ['the same key twice', good('dup', 'index: other\n'), /twice|duplicate|again/i],
    ['the same field twice', good('dup2', '  - { name: name, type: TEXT }\n'), /twice/],
    ['a path as field', good('f', '  - { name: ../x, type: TEXT }\n'), /is not a field name/],
    ['a proto', good('p', '__proto__: { polluted: 1 }\n'), /__proto__/],
    [
      'huge numbers',
      good('n', 'sharding: { shards: 1e400, buckets: 99999999999999999999 }\n'),
      /shards|buckets/,
    ],
    ['a tag', good('t', 'tenant_field: !!js/function "function(){}"\n'), /tag|tenant_field/],
    ['no YAML', '\u0000\u0001\u0002', /./],
    ['nothing', '', /./],
    ['two documents', `${good('one')}---\n${good('two')}`, /a file holds one definition/],
  ])('with %s is refused with its place', async (_, text, message) => {
    const backend = await openEngine(home.path('data'), { create: true, threads: 0 });
    const issues = await backend.validateDefinition({ definition: text });
    const said = issues.map((i) => `${i.severity} ${i.line}:${i.column} ${i.message}`).join('\n');
    expect(said).toMatch(message);
    expect(said).toMatch(/^error \d+:\d+ /);
    expect(said.length).toBeLessThan(20_000);
    await expect(backend.createIndex({ definition: text })).rejects.toMatchObject({
      code: 'invalid_definition',
    });
    await backend.close();
  });

  it('is refused through the command line with file, line and column', async () => {
    writeFileSync(home.path('hostile.yaml'), good('../x'));
    const validated = await home.run(['index', 'validate', '-f', 'hostile.yaml', '--offline']);
    const created = await home.run(['index', 'create', '-f', 'hostile.yaml']);
    expect(validated.code).toBe(2);
    expect(validated.stdout).toMatch(/^hostile\.yaml:2:8 +error/);
    expect(created).toMatchObject({ code: 2, stdout: '' });
    expect(created.stderr).toMatch(/line 2, column 8/);
  });

  it('leaves nothing behind where it was refused', async () => {
    const { indexes } = await home.json<{ indexes: { name: string }[] }>(['index', 'list']);
    expect(indexes.map((i) => i.name)).toEqual(['keys', 'twice']);
  });
});

describe('queries', () => {
  it('of a megabyte, of parentheses, of regexes are refused or answered at once', async () => {
    const queries = [
      'a'.repeat(2 ** 20),
      '('.repeat(10_000),
      '"'.repeat(9999),
      'id:/(a*)*(b*)*(c*)*$/',
      'id:/((((((((((a?){50}){50}){50}))))))))/',
      `id:/${'(x+)+'.repeat(100)}y/`,
      'name:nu*m*b*e*r*~2',
      'name:number^1e999',
      'name:[* TO *]',
      '\\',
      'name:',
      'NOT',
      '\u0000',
      '\ud800',
    ];
    const backend = await openEngine(home.path('data'), { create: true, threads: 0 });
    for (const query of queries) {
      const said = await backend.search({ index: 'keys', query }).then(
        ({ total }) => `${total} hits`,
        (error: unknown) => {
          if (!(error instanceof LhsError)) throw error;
          expect(error.message.length, query.slice(0, 80)).toBeLessThan(1000);
          return error.code;
        },
      );
      expect(said).toMatch(/^(\d+ hits|invalid_query|limit_exceeded)$/);
    }
    await backend.close();
    const long = await home.run(['search', 'keys', '--queries', '-'], { input: queries[0] });
    const deep = await home.run(['search', 'keys', queries[1]]);
    expect([long.code, deep.code]).toEqual([2, 2]);
    expect(long.stderr.length + deep.stderr.length).toBeLessThan(2000);
  });
});

/** A disk of a few megabytes of its own; only root can make one. */
function smallDisk(path: string, megabytes: number): boolean {
  mkdirSync(path, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

describe('a full disk', () => {
  const disk = home.path('disk');
  const made = smallDisk(disk, 6);
  if (!made) console.log('a full disk: skipped, no file system can be mounted here (not root)');
  afterAll(() => {
    if (made) execFileSync('umount', [disk]);
  });

  it.skipIf(!made)('ends a reindex with its name; the former generation answers', async () => {
    const row = (id: number) => ({ id, name: `report ${id} ${(id * 2654435761).toString(36)}` });
    await makeTable('full', [row(0), row(1)]);
    const data = ['--data-dir', disk];
    const init = await home.run(['index', 'init', 'h.full', ...at]);
    await home.run(['index', 'create', '-f', '-', ...data], { input: init.stdout });
    await home.json(['index', 'reindex', 'full', ...data]);
    const more = Array.from({ length: 60_000 }, (_, i) => row(i + 2));
    const file = home.path('more.ndjson');
    writeFileSync(file, more.map((r) => `${JSON.stringify(r)}\n`).join(''));
    await home.json(['source', 'import', file, '--table', 'h.full', ...at, '--append']);
    // what is guessed beforehand would stop it: the disk fills while it is at work
    writeFileSync(`${disk}/ballast`, Buffer.alloc(3_500_000));
    const reindex = await home.run(['index', 'reindex', 'full', ...data, '--json']);
    rmSync(`${disk}/ballast`);
    const { error } = JSON.parse(reindex.stdout);
    expect(error.code).toBe('disk_full');
    expect(error.message).toContain(disk);
    const found = await home.json<{ total: number }>(['search', 'full', ...data]);
    expect(found.total).toBe(2);
    const left = readdirSync(disk, { recursive: true, encoding: 'utf8' });
    expect(left.filter((path) => /gen-\d+$/.test(path))).toHaveLength(1);
  });

  it.skipIf(!made)('is no cache of a published index, which answers all the same', async () => {
    const words = (id: number) => Array.from({ length: 12 }, (_, i) => hash('md5', `${id} ${i}`));
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, name: words(id).join(' ') }));
    await makeTable('seen', rows);
    await makeIndex('seen', `storage: ${home.path('published')}\n`);
    await home.json(['index', 'reindex', 'seen']);
    const cache = (path: string) => ({ env: { LHS_COLD_CACHE_DIR: path }, alone: true });
    const read = (path: string) =>
      home.run(['index', 'export', home.path('published/seen'), '--format', 'ndjson'], cache(path));
    await home.run(['index', 'status', home.path('published/seen')], cache(`${disk}/opened-only`));
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(`${disk}/ballast`, Buffer.alloc(bavail * bsize - 100_000));
    const full = await read(`${disk}/opened-only`);
    rmSync(`${disk}/ballast`);
    rmSync(`${disk}/opened-only`, { recursive: true });
    expect([full.code, full.stderr]).toEqual([0, '']);
    expect(full.stdout).toBe((await read(home.path('cache'))).stdout);
    expect(full.stdout.split('\n').length).toBeGreaterThan(10_000);
  });
});
