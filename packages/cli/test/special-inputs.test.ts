import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../test/support/schema.ts';
import { ended, Home, LHS } from './child.ts';
import { describeOnBackends } from './on-backend.ts';

/** Pipes, devices and folders where the command line, a table or the system should have files. */
const home = new Home();
const PIPE = home.path('pipe');
const DEFINITION = `version: 1
index: notes
source: { catalog: { type: filesystem, warehouse: ${home.path('lake')} }, table: ops.notes }
key: { identifier: [id] }
fields: [{ name: title, type: TEXT }]
`;
const config = {
  catalog: { type: 'filesystem' as const, warehouse: home.path('lake') },
  table: 'ops.notes',
};
const schema = schemaOf({ id: 'long', title: 'string' });
const append = (id: number) =>
  appendRows(config, { kind: 'rows', rows: [{ id, title: 'a note' }] });

/** The file of the table that is a pipe. */
let list = '';
beforeAll(async () => {
  execFileSync('mkfifo', [PIPE]);
  writeFileSync(home.path('notes.yaml'), DEFINITION);
  await createTable(config.catalog, config.table, { schema, formatVersion: 2 });
  await append(1);
  const backend = await openEngine(home.path('data'), { create: true, threads: 0 });
  await backend.createIndex({ definition: DEFINITION });
  await backend.reindex({ index: 'notes' });
  await backend.close();
  await append(2);
  const metadata = home.path('lake/ops/notes/metadata');
  const newest = readFileSync(join(metadata, 'v3.metadata.json'), 'utf8');
  const snapshots: { 'manifest-list': string }[] = JSON.parse(newest).snapshots;
  list = snapshots.at(-1)!['manifest-list'];
  rmSync(list);
  execFileSync('mkfifo', [list]);
  mkdirSync(home.path('project'));
  symlinkSync(PIPE, home.path('project', 'lhs.yaml'));
});
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  console.log(`special inputs: ${home.runs} processes`);
  home.dispose();
});

const VALIDATE = ['index', 'validate', '--offline', '-f'];
/** Runs a shell line in which `$lhs` is the command. */
const shell = (line: string) => {
  const lhs = `"${process.execPath}" "${LHS}"`;
  const env = { ...process.env, LHS_DATA_DIR: home.path('data'), LHS_URL: home.service };
  return ended(spawn('bash', ['-c', line.replace('$lhs', lhs)], { cwd: home.folder, env }));
};

describeOnBackends('a command', home, ({ isBrief, isRemote, dataDir }) => {
  describe.skipIf(isBrief)('a definition that is no regular file', () => {
    it.each([
      ['a named pipe', PIPE],
      ['a device', '/dev/zero'],
      ['a folder', home.folder],
    ])('is refused by name if it is %s', async (_kind, file) => {
      const { code, stderr } = await home.run([...VALIDATE, file]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`"${file}" is not a regular file`),
      ]);
    });

    it.each([
      ['standard input', '$lhs index validate --offline -f - < notes.yaml'],
      ['/dev/stdin', '$lhs index validate --offline -f /dev/stdin < notes.yaml'],
      ['a pipe as /dev/stdin', 'cat notes.yaml | $lhs index validate --offline -f /dev/stdin'],
      ['a process substitution', '$lhs index validate --offline -f <(cat notes.yaml)'],
    ])('is read from %s', async (_kind, line) => {
      const { code, stderr, stdout } = await shell(line);
      // the definition names a folder, which a service refuses
      const refused = [2, expect.stringContaining('the configuration of the server names no')];
      expect([code, stderr]).toEqual(isRemote ? refused : [0, '']);
      expect(stdout).toMatch(isRemote ? /^$/ : / is valid\n$/);
    });

    it.each([
      ['standard input', '$lhs index validate --offline -f - < /dev/zero'],
      ['a process substitution', '$lhs index validate --offline -f <(cat /dev/zero)'],
    ])('is refused if %s never ends', async (_kind, line) => {
      const { code, stderr } = await shell(line);
      expect([code, stderr]).toEqual([2, expect.stringContaining('is larger than 67108864 bytes')]);
    });
  });

  describe('input files that are no regular files', () => {
    it('are refused by name if they are pipes', async () => {
      const runs = await Promise.all([
        home.run(['source', 'tables', '--catalog', PIPE]),
        home.run(['index', 'aggregate', 'notes', '--aggs', `@${PIPE}`]),
        home.run(['index', 'list'], { cwd: home.path('project') }),
      ]);
      for (const { code, stderr } of runs) {
        expect([code, stderr]).toEqual([2, expect.stringContaining('is not a regular file')]);
      }
    });
  });

  describe('a table with a pipe instead of a file', () => {
    const locks = () =>
      readdirSync(join(dataDir, 'indexes'), { recursive: true }).filter((name) =>
        String(name).endsWith('writer.lock'),
      );

    it('does not keep the writer lock of the index', async () => {
      const { code, stderr } = await home.run(['index', 'sync', 'notes']);
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`"${list}" is not a regular file`),
      ]);
      expect(locks()).toEqual([]);
    });
  });
});

describe('a folder in which nothing can be made', () => {
  it.each([
    ['LHS_DATA_DIR', ['erase', 'key'], { LHS_DATA_DIR: '/proc/lhs' }],
    ['--data-dir', ['erase', 'key', '--data-dir', '/proc/lhs'], {}],
    ['XDG_CONFIG_HOME', ['config', 'set', 'data_dir', '/tmp'], { XDG_CONFIG_HOME: '/proc' }],
  ])('ends with an error that names it: %s', async (_name, args, env) => {
    const { code, stderr } = await home.run(args, { env });
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(/^error: .*"\/proc\/lhs"/);
  });

  it('is no fault as TMPDIR of a command that needs none', async () => {
    const { code, stderr } = await home.run(['index', 'list'], { env: { TMPDIR: '/proc' } });
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('a data folder', () => {
  it('is refused in one line if it is a file', async () => {
    const file = home.path('notes.yaml');
    const { code, stderr } = await home.run(['index', 'list'], { env: { LHS_DATA_DIR: file } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: cannot make "[^"]*": "[^"]*" is a file, not a folder\n/);
  });

  it('brings no commands with it', async () => {
    const folder = home.path('brings');
    const plugin = join(folder, 'plugin');
    mkdirSync(join(plugin, 'commands'), { recursive: true });
    const named = { name: 'plugin', version: '1.0.0', type: 'module' };
    const link = { type: 'link', name: 'plugin', root: plugin };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ oclif: { plugins: [link] } }));
    writeFileSync(
      join(plugin, 'package.json'),
      JSON.stringify({ ...named, oclif: { commands: './commands' } }),
    );
    writeFileSync(
      join(plugin, 'commands/brought.js'),
      "export default class { static id = 'brought'; static async run() { console.log('ran'); } }",
    );
    const { code, stdout, stderr } = await home.run(['brought'], { env: { LHS_DATA_DIR: folder } });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('there is no command "brought"');
  });
});

describe('a second signal', () => {
  const said = (child: ChildProcess, text: string) =>
    new Promise<void>((done) => {
      let all = '';
      child.stderr!.on('data', (chunk: Buffer) => {
        all += String(chunk);
        if (all.includes(text)) done();
      });
    });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends a process whose threads are blocked: %s',
    async (signal) => {
      const script = fileURLToPath(new URL('./blocked-child.ts', import.meta.url));
      const child = spawn(process.execPath, [script, PIPE], { cwd: home.folder });
      children.push(child);
      const ends = new Promise((done) => child.on('exit', (code, by) => done(by ?? code)));
      await said(child, 'reading');
      child.kill(signal);
      await said(child, 'stopping');
      child.kill(signal);
      expect(await ends).toBe('SIGINT');
    },
  );
});
