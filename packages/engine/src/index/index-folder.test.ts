import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LhsError } from '../base/errors.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import { liveGeneration, openIndex, openIndexSession, removeOrphans } from './index-folder.ts';
import { IndexWriter } from './index-writer.ts';
import { thisProcess } from './process-identity.ts';
import { lockHolder, lockIndex } from './writer-lock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-index-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function keyBlock(keys: readonly string[]): DocumentBlock {
  const keyOffsets = Int32Array.from([0, ...keys.map((key) => Buffer.byteLength(key))]);
  for (let i = 1; i < keyOffsets.length; i++) keyOffsets[i] += keyOffsets[i - 1];
  return {
    docs: keys.length,
    keyOffsets,
    keyBytes: Buffer.from(keys.join('')),
    files: new Int32Array(keys.length),
    positions: Int32Array.from(keys, (_, i) => i),
    hashes: new BigUint64Array(keys.length),
    fields: new Map(),
  };
}

/** Builds a generation that holds these keys. */
function build(keys: readonly string[]): void {
  const session = openIndexSession(folder, 'new');
  try {
    const writer = IndexWriter.open(session.directory, []);
    writer.add(keyBlock(keys));
    writer.commit({ checkpoint: null, files: ['a.parquet'] });
    writer.close();
    session.publish();
  } finally {
    session.close();
  }
}

function keys(): string[] {
  const snapshot = openIndex(folder);
  const found = snapshot.segments.flatMap((segment) =>
    Array.from({ length: segment.docs }, (_, doc) => Buffer.from(segment.keys.key(doc)).toString()),
  );
  snapshot.release();
  return found.sort();
}

const errorOf = (call: () => unknown): LhsError => {
  try {
    call();
  } catch (error) {
    if (error instanceof LhsError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

test('a generation is visible when it is published, and replaces the one before', () => {
  expect(errorOf(() => openIndex(folder)).code).toBe('index_not_built');
  expect(errorOf(() => openIndexSession(folder, 'live')).code).toBe('index_not_built');
  build(['a', 'b']);
  expect(keys()).toEqual(['a', 'b']);
  const old = openIndex(folder);
  const session = openIndexSession(folder, 'new');
  const writer = IndexWriter.open(session.directory, []);
  writer.add(keyBlock(['c']));
  writer.commit({ checkpoint: null, files: [] });
  expect(keys()).toEqual(['a', 'b']);
  session.publish();
  expect(keys()).toEqual(['c']);
  writer.close();
  session.close();
  expect(old.find(Buffer.from('b'))?.doc).toBe(1);
  expect([old.generation, liveGeneration(folder)]).toEqual([1, 2]);
  old.release();
  expect(readdirSync(folder).sort()).toEqual(['current', 'g000002']);
});

test('a generation that was not published goes, and one without a commit cannot be', () => {
  build(['a']);
  const session = openIndexSession(folder, 'new');
  IndexWriter.open(session.directory, []).close();
  expect(errorOf(() => session.publish()).code).toBe('internal');
  session.close();
  expect(keys()).toEqual(['a']);
  expect(readdirSync(folder).sort()).toEqual(['current', 'g000001']);
});

test('orphans of a crash are removed by the next open, unless a writer lives', () => {
  build(['a']);
  const live = join(folder, 'g000001');
  const named = readdirSync(live).sort();
  const litter = () => {
    writeFileSync(join(live, 's000009.core'), 'half');
    writeFileSync(join(live, 'commit.tmp'), 'half');
    mkdirSync(join(folder, 'g000002'));
    writeFileSync(join(folder, 'g000002', 's000001.core'), 'half');
    writeFileSync(join(folder, 'current.tmp'), 'half');
  };
  const lock = lockIndex(folder);
  litter();
  expect(keys()).toEqual(['a']);
  expect(existsSync(join(live, 's000009.core'))).toBe(true);
  lock.release();
  expect(removeOrphans(folder).length).toBe(4);
  expect(readdirSync(live).sort()).toEqual(named);
  litter();
  expect(keys()).toEqual(['a']);
  expect(
    readdirSync(live)
      .filter((name) => name !== 'verified')
      .sort(),
  ).toEqual(named);
  expect(readdirSync(folder).sort()).toEqual(['current', 'g000001']);
});

test('a second writer is refused by the name of the first; a dead one is taken over', () => {
  build(['a']);
  const session = openIndexSession(folder, 'live');
  const refused = errorOf(() => openIndexSession(folder, 'live'));
  expect(refused.code).toBe('index_busy');
  expect(refused.details).toEqual({ pid: process.pid, host: thisProcess().host });
  expect(lockHolder(folder)?.pid).toBe(process.pid);
  session.close();
  expect(lockHolder(folder)).toBeNull();

  const lives = { ...thisProcess(), token: 'other' };
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  const path = join(folder, 'writer.lock');
  for (const dead of [
    { ...lives, pid: gone },
    { ...lives, started: '1' },
    { ...lives, boot_id: 'before' },
  ]) {
    writeFileSync(path, JSON.stringify(dead));
    openIndexSession(folder, 'live').close();
    expect(existsSync(path)).toBe(false);
  }
  writeFileSync(path, 'not JSON');
  openIndexSession(folder, 'live').close();
  writeFileSync(path, JSON.stringify({ ...lives, host: 'elsewhere' }));
  const far = errorOf(() => openIndexSession(folder, 'live'));
  expect([far.code, far.message.includes('"elsewhere"')]).toEqual(['index_busy', true]);
});

test('a writer that has lost its lock cannot commit', () => {
  build(['a']);
  const session = openIndexSession(folder, 'live');
  const writer = IndexWriter.open(session.directory, []);
  writer.add(keyBlock(['b']));
  const other = JSON.stringify({ ...thisProcess(), token: 'other' });
  writeFileSync(join(folder, 'writer.lock'), other);
  const error = errorOf(() => writer.commit({ checkpoint: null, files: [] }));
  expect(error.code).toBe('index_busy');
  expect(keys()).toEqual(['a']);
  session.close();
  expect(readFileSync(join(folder, 'writer.lock'), 'utf8')).toBe(other);
});

test('a damaged pointer and a lost file are named', () => {
  build(['a']);
  const pointer = join(folder, 'current');
  const bytes = readFileSync(pointer);
  bytes[70] ^= 1;
  writeFileSync(pointer, bytes);
  expect(errorOf(() => openIndex(folder)).message).toContain(pointer);
  bytes[70] ^= 1;
  writeFileSync(pointer, bytes);
  rmSync(join(folder, 'g000001', 's000001.core'));
  const lost = errorOf(() => openIndex(folder));
  expect([lost.code, lost.message.includes('s000001.core')]).toEqual(['corrupt_index', true]);
});
