import { execFileSync, spawn } from 'node:child_process';
import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  currentGeneration,
  indexFolder,
  promoteGeneration,
  stageGeneration,
  sweepGenerations,
  takeLock,
  tryLock,
} from '../open/index-folder.ts';
import { sweepIndex } from '../open/open-index.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { Registry } from './registry.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-registry-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the registry', () => {
  it('keeps indexes across objects, by name', () => {
    const one = new Registry(join(folder, 'a/b'));
    const added = one.add('commits', 'version: 1', '/base');
    expect(() => one.add('commits', 'x', '/')).toThrow('an index "commits" exists already');
    expect(() => one.add('commits', 'x', '/')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('to this definition') }),
    );
    // another index cannot get the name; there is no definition for the one that has it
    expect(() => one.requireFree('commits')).toThrow(
      expect.objectContaining({ hint: 'choose another name' }),
    );
    const two = new Registry(join(folder, 'a/b'));
    expect(two.list()).toEqual([added]);
    expect(two.get('commits')).toMatchObject({
      version: 1,
      baseDir: '/base',
      definition: 'version: 1',
    });
    expect(() => two.get('commit')).toThrow('there is no index "commit"; did you mean "commits"?');
    expect(['commits', 'commit'].map((name) => two.isNamed(name))).toEqual([true, false]);
    expect(two.remove(added.uuid)).not.toBeNull();
    expect([one.list(), one.isNamed('commits')]).toEqual([[], false]);
    expect(one.remove(added.uuid)).toBeNull();
    one.close();
    two.close();
  });

  it('makes neither folder nor file before the first change, and sees those of others', () => {
    const missing = join(folder, 'a/b');
    const reader = new Registry(missing);
    expect([reader.list(), reader.aliases.list(), reader.jobs.list()]).toEqual([[], [], []]);
    expect(() => reader.get('commits')).toThrow('there is no index "commits"');
    expect(reader.settledUuids()).toEqual(new Set());
    expect(readdirSync(folder)).toEqual([]);
    const writer = new Registry(missing);
    const added = writer.add('commits', 'version: 1', '/base');
    expect(reader.get('commits')).toEqual(added);
    const second = reader.add('more', 'version: 1', '/base');
    expect(writer.list()).toEqual([added, second]);
    expect(readdirSync(missing)).toEqual(['registry.db']);
    reader.close();
    writer.close();
  });

  it('sees every change of other objects, soon and long after the one before', () => {
    const one = new Registry(folder);
    const two = new Registry(folder);
    for (let i = 0; i < 40; i++) {
      const added = one.add('commits', `version ${i}`, '/');
      expect(two.get('commits').uuid).toBe(added.uuid);
      if (i % 2 === 1) {
        utimesSync(one.path, 1, i);
        expect(two.get('commits').uuid).toBe(added.uuid);
        expect(two.get('commits').uuid).toBe(added.uuid);
      }
      one.remove(added.uuid);
      expect(() => two.get('commits')).toThrow('there is no index');
    }
    one.close();
    two.close();
  });

  it('sees changes of other objects, by name and by alias', () => {
    const one = new Registry(folder);
    const two = new Registry(folder);
    const first = one.add('commits', 'first', '/');
    const other = one.add('other', 'other', '/');
    expect(two.get('commits')).toEqual(first);
    one.remove(first.uuid);
    expect(() => two.get('commits')).toThrow('there is no index "commits"');
    const second = one.add('commits', 'second', '/');
    expect(two.get('commits')).toEqual(second);
    two.aliases.set('latest', second.uuid);
    expect(two.get('latest')).toEqual(second);
    one.aliases.set('latest', other.uuid);
    expect(two.get('latest')).toEqual(other);
    two.aliases.set('latest', second.uuid);
    expect(two.get('latest')).toEqual(second);
    one.close();
    two.close();
  });

  it('takes a file of the first schema over', () => {
    const path = JSON.stringify(join(folder, 'registry.db'));
    execFileSync(process.execPath, [
      '-e',
      `new (require('node:sqlite').DatabaseSync)(${path}).exec(\`CREATE TABLE indexes (
        name TEXT PRIMARY KEY NOT NULL, uuid TEXT NOT NULL UNIQUE, definition TEXT NOT NULL,
        base_dir TEXT NOT NULL, version INTEGER NOT NULL, created_ms INTEGER NOT NULL) STRICT;
        INSERT INTO indexes VALUES ('old', 'u', 'version: 1', '/', 1, 5);
        PRAGMA user_version = 1\`)`,
    ]);
    const registry = new Registry(folder);
    expect(registry.get('old')).toMatchObject({ uuid: 'u', parsed: null, createdMs: 5 });
    expect(registry.add('new', 'x', '/', '{}').parsed).toBe('{}');
    expect(registry.get('new').parsed).toBe('{}');
    registry.close();
  });

  it('takes a file of the second schema over, and keeps what is in it', () => {
    const path = JSON.stringify(join(folder, 'registry.db'));
    execFileSync(process.execPath, [
      '-e',
      `new (require('node:sqlite').DatabaseSync)(${path}).exec(\`CREATE TABLE indexes (
        name TEXT PRIMARY KEY NOT NULL, uuid TEXT NOT NULL UNIQUE, definition TEXT NOT NULL,
        base_dir TEXT NOT NULL, version INTEGER NOT NULL, created_ms INTEGER NOT NULL) STRICT;
        ALTER TABLE indexes ADD COLUMN parsed TEXT;
        INSERT INTO indexes VALUES ('old', 'u', 'version: 1', '/', 3, 5, '{}');
        PRAGMA user_version = 2\`)`,
    ]);
    const registry = new Registry(folder);
    const old = registry.get('old');
    expect(old).toMatchObject({ uuid: 'u', parsed: '{}', version: 3, createdMs: 5 });
    expect(registry.aliases.list()).toEqual([]);
    expect(registry.aliases.set('now', 'u')).toBe(true);
    expect(registry.get('now')).toEqual(old);
    expect(registry.queries.create('', { name: 'q', request: { query: 'a' } }).name).toBe('q');
    registry.close();
    const again = new Registry(folder);
    expect(again.aliases.list()).toEqual([{ alias: 'now', index: 'old' }]);
    expect(again.queries.list('')).toHaveLength(1);
    again.close();
  });

  it('reads a file of an older schema as it is, and keeps a copy at its first change', () => {
    const path = join(folder, 'registry.db');
    const sql = (text: string) =>
      execFileSync(process.execPath, [
        '-e',
        `const db = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)});
         ${text}`,
      ]).toString();
    sql(`db.exec(\`CREATE TABLE indexes (
      name TEXT PRIMARY KEY NOT NULL, uuid TEXT NOT NULL UNIQUE, definition TEXT NOT NULL,
      base_dir TEXT NOT NULL, version INTEGER NOT NULL, created_ms INTEGER NOT NULL) STRICT;
      INSERT INTO indexes VALUES ('old', 'u', 'version: 1', '/', 1, 5);
      PRAGMA user_version = 1\`)`);
    const before = readFileSync(path);
    const registry = new Registry(folder);
    expect(registry.list().map(({ name }) => name)).toEqual(['old']);
    expect([...registry.settledUuids()]).toEqual(['u']);
    expect(registry.aliases.list()).toEqual([]);
    expect(readFileSync(path)).toEqual(before);
    // the older lhs changes it meanwhile
    sql(`db.exec("INSERT INTO indexes VALUES ('more', 'v', 'version: 1', '/', 1, 5)")`);
    expect(registry.get('more').uuid).toBe('v');
    const older = readFileSync(path);
    expect(registry.aliases.set('now', 'v')).toBe(true);
    expect(registry.get('now').name).toBe('more');
    expect(readFileSync(`${path}.v1`)).toEqual(older);
    expect(sql(`console.log(db.prepare('PRAGMA user_version').get().user_version)`)).toBe('9\n');
    registry.close();
  });

  it.each(['mergeFaults', 'syncFaults'] as const)('notes %s until work succeeds', (kind) => {
    const registry = new Registry(folder);
    const { uuid } = registry.add('notes', 'x', '/');
    const faults = registry[kind];
    faults.note(uuid, { code: 'disk_full', message: 'a' }, 1);
    faults.note(uuid, { code: 'io_error', message: 'b' }, 2);
    const both = [registry.mergeFaults.of(uuid), registry.syncFaults.of(uuid)];
    expect(both.filter((one) => one !== null)).toHaveLength(1);
    expect(faults.of(uuid)).toEqual({ code: 'io_error', message: 'b', sinceMs: 1 });
    faults.note(uuid, null, 3);
    expect(faults.of(uuid)).toBeNull();
    faults.note('gone', { code: 'disk_full', message: 'a' }, 4);
    expect(faults.of('gone')).toBeNull();
    registry.close();
  });

  it('takes the saved queries of the fifth schema over as lexical ones', () => {
    const first = new Registry(folder);
    first.add('notes', 'x', '/'); // the first change makes the file
    first.close();
    const path = JSON.stringify(join(folder, 'registry.db'));
    execFileSync(process.execPath, [
      '-e',
      `new (require('node:sqlite').DatabaseSync)(${path}).exec(\`DROP TABLE saved_queries;
        CREATE TABLE saved_queries (id TEXT PRIMARY KEY NOT NULL, owner TEXT NOT NULL,
          name TEXT NOT NULL, description TEXT, request TEXT NOT NULL,
          created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, UNIQUE (owner, name)) STRICT;
        ALTER TABLE generations DROP COLUMN kept_ms;
        ALTER TABLE generations DROP COLUMN version;
        ALTER TABLE generations DROP COLUMN fault;
        ALTER TABLE jobs DROP COLUMN name;
        DROP TRIGGER merge_faults_of_dropped;
        DROP TABLE merge_faults;
        DROP TRIGGER sync_faults_of_dropped;
        DROP TABLE sync_faults;
        INSERT INTO saved_queries VALUES ('i', '', 'old', NULL, '{"query":"a"}', 5, 5);
        PRAGMA user_version = 5\`)`,
    ]);
    const registry = new Registry(folder);
    const request = { query_text: 'b' };
    const near = registry.queries.create('', { name: 'new', mode: 'semantic', request });
    expect(registry.queries.list('')).toMatchObject([near, { id: 'i', request: { query: 'a' } }]);
    expect(registry.queries.list('')[1]).not.toHaveProperty('mode');
    registry.close();
  });

  it('refuses a file that is none, or of a newer schema', () => {
    writeFileSync(
      join(folder, 'registry.db'),
      'not a database, not at all, but long enough to look at',
    );
    expect(() => new Registry(folder)).toThrow('is damaged');
    rmSync(join(folder, 'registry.db'));
    new Registry(folder).close();
    execFileSync(process.execPath, [
      '-e',
      `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(join(folder, 'registry.db'))})` +
        ".exec('PRAGMA user_version = 99')",
    ]);
    expect(() => new Registry(folder)).toThrow('written by a newer lhs (schema 99)');
    const nowhere = new Registry('/dev/null/x');
    expect(() => nowhere.add('notes', 'x', '/')).toThrow('cannot make "/dev/null/x"');
    nowhere.close();
  });
});

describe('generations of an index', () => {
  it('become live by one rename, and dead ones are swept', () => {
    const home = indexFolder(folder, '0c6f');
    mkdirSync(home, { recursive: true });
    expect(currentGeneration(home)).toBeNull();
    const first = stageGeneration(home);
    expect(first.number).toBe(1);
    promoteGeneration(home, first);
    const second = stageGeneration(home);
    writeFileSync(join(second.path, 'x'), 'x');
    expect(currentGeneration(home)).toEqual(first);
    expect(sweepGenerations(home)).toEqual([second.path]);
    const third = stageGeneration(home);
    promoteGeneration(home, third);
    expect(sweepGenerations(home)).toEqual([first.path]);
    expect(readdirSync(home).sort()).toEqual(['CURRENT', 'gen-000002']);
    writeFileSync(join(home, 'CURRENT'), '../../etc\n');
    expect(() => currentGeneration(home)).toThrow('names no generation');
  });

  it('are read again if a writer replaces the one that CURRENT named', () => {
    const first = stageGeneration(folder);
    promoteGeneration(folder, first);
    const second = stageGeneration(folder);
    const exists = vi.spyOn(fs, 'existsSync').mockImplementationOnce(() => {
      promoteGeneration(folder, second);
      sweepGenerations(folder);
      return existsSync(first.path);
    });
    syncBuiltinESMExports();
    try {
      expect(currentGeneration(folder)).toEqual(second);
    } finally {
      exists.mockRestore();
      syncBuiltinESMExports();
    }
  });

  it('are not locked by a reader where nothing is left over', () => {
    const live = stageGeneration(folder);
    promoteGeneration(folder, live);
    const long = new Date('2001-01-01');
    utimesSync(folder, long, long);
    sweepIndex(folder, openLocalDirectory);
    expect(statSync(folder).mtime).toEqual(long);
    writeFileSync(join(folder, 'writer.lock'), 'half of a lo');
    sweepIndex(folder, openLocalDirectory);
    expect(readdirSync(folder).sort()).toEqual(['CURRENT', 'gen-000001']);
    stageGeneration(folder);
    writeFileSync(join(folder, 'CURRENT.tmp'), 'gen-');
    const lock = takeLock(folder, 'commits', 'reindex');
    sweepIndex(folder, openLocalDirectory);
    expect(readdirSync(folder)).toContain('gen-000002');
    lock.release();
    sweepIndex(folder, openLocalDirectory);
    expect(readdirSync(folder).sort()).toEqual(['CURRENT', 'gen-000001']);
  });
});

describe('the registry lock', () => {
  it('is held by one, inside a process and among processes, and dies with its holder', async () => {
    const lock = takeLock(folder, 'commits', 'reindex');
    expect(tryLock(folder)).toBeNull();
    expect(() => takeLock(folder, 'commits', 'sync')).toThrow('cannot sync "commits": another');
    lock.release();
    lock.release();
    const { href } = new URL('../open/index-folder.ts', import.meta.url);
    const script = `import { takeLock } from ${JSON.stringify(href)};
      takeLock(${JSON.stringify(folder)}, 'commits', 'reindex');
      console.log('held'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect(tryLock(folder)).toBeNull();
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    tryLock(folder)!.release();
    expect(existsSync(join(folder, 'writer.lock'))).toBe(false);
  });
});
