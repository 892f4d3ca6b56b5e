import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { filesNamed } from '../../../../../test/support/files-named.ts';
import { MemoryDirectory } from '../../../../../test/support/memory-directory.ts';
import { writeOldCommit } from '../../../../../test/support/old-commit.ts';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { writeFramed } from '../../storage/frame.ts';
import { openSnapshot } from '../index-snapshot.ts';
import { IndexWriter } from '../index-writer.ts';
import { COMMIT_FILE, emptyCommit, filesOf, readCommit, writeCommit } from './commit.ts';
import { type DataFile, type DataFiles, dataFiles } from './data-files.ts';
import { findPin, pinCommit, pinnedCommit } from './pins.ts';

const arena = plainArena();
let directory: MemoryDirectory;
let writer: IndexWriter;
beforeEach(() => {
  directory = new MemoryDirectory(arena);
  writer = IndexWriter.open(directory, []);
});
afterEach(() => writer.close());

const hex = (i: number, digits: number) => i.toString(16).padStart(digits, '0');
/** A path as Iceberg's writers make them, which hardly compresses. */
const pathOf = (i: number) => {
  const uuid = hex(Math.imul(i + 1, 0x9e3779b1) >>> 0, 8).repeat(2);
  return `s3://warehouse/db/events/data/day=${i % 365}/00000-${i}-${uuid}-${hex(i, 12)}.parquet`;
};
const fileAt = (i: number): DataFile => ({
  path: pathOf(i),
  entries: [
    {
      records: 1000 + (i % 100),
      sequence: String(Math.floor(i / 10)),
      deletes:
        i % 7 === 0 ? [{ path: `d${Math.floor(i / 70)}.puffin`, offset: i, length: 40 }] : [],
    },
  ],
  ...(i % 13 === 0 && { skipped: [1, i] }),
});
const filesUpTo = (count: number) => Array.from({ length: count }, (_, i) => fileAt(i));
const commit = (all: readonly DataFile[]) =>
  writer.commit({ checkpoint: null, files: dataFiles(all, writer.lastCommit.files) });
const read = () => readCommit(directory)!;
const pagesOf = (files: DataFiles) => files.pages.map(({ stored }) => stored!.file);

describe('the data files of a commit', () => {
  test.each([0, 1, 999, 1000, 1001, 4321])('%i are read as they were written', (count) => {
    const all = filesUpTo(count);
    commit(all);
    const { files } = read();
    expect(files.all()).toEqual(all);
    expect(files.paths()).toEqual(all.map(({ path }) => path));
    for (const number of [0, count - 1, count, count + 5000]) {
      expect(files.at(number).path).toBe(all[number]?.path ?? '');
    }
    expect([files.size, files.pages.length]).toEqual([count, Math.floor(count / 1000)]);
    expect(directory.list()).toEqual([...filesOf(read())].sort());
  });

  test('a change writes the pages that it is in, and no others', () => {
    const all = filesUpTo(3500);
    const before = pagesOf(commit(all).files);
    commit([...all, fileAt(3500)]);
    expect(pagesOf(read().files)).toEqual(before);
    all[1234] = { ...all[1234], skipped: [7] };
    commit(all);
    const after = pagesOf(read().files);
    expect(after).toEqual([before[0], expect.not.stringMatching(before[1]), before[2]]);
    expect(read().files.all()).toEqual(all);
    expect(directory.list()).toEqual([...filesOf(read())].sort());
    // another process finds the same pages
    const next = IndexWriter.open(directory, []);
    next.commit({ checkpoint: null, files: dataFiles(filesUpTo(3600), read().files) });
    const [first, second, third] = pagesOf(read().files);
    expect([first, third]).toEqual([before[0], before[2]]);
    expect(second).not.toBe(after[1]);
    next.close();
  });

  test('a commit of 200,000 files and 10 new ones writes at most 100 kB', () => {
    const all = filesUpTo(200_000);
    commit(all);
    const before = new Set(directory.list());
    commit([...all, ...filesUpTo(200_010).slice(200_000)]);
    const written = directory.list().filter((name) => name === 'commit' || !before.has(name));
    const bytes = written.reduce((sum, name) => sum + directory.size(name), 0);
    expect(bytes).toBeLessThan(100_000);
    expect(read().files.size).toBe(200_010);
  });

  test('stay readable for those who have the commit open, and for pins', () => {
    const all = filesUpTo(2000);
    commit(all);
    const snapshot = openSnapshot(directory);
    const pin = pinCommit(directory, 60_000, Date.now());
    const changed = all.map((file): DataFile => ({ ...file, entries: [] }));
    commit(changed);
    commit(changed.toReversed());
    expect(pagesOf(read().files).some((name) => pagesOf(snapshot.files).includes(name))).toBe(
      false,
    );
    expect(snapshot.files.all()).toEqual(all);
    snapshot.release();
    const { id } = findPin(directory, pin.id, Date.now());
    expect(pinnedCommit(directory, id, Date.now()).files.all()).toEqual(all);
  });

  test('a page that is damaged, missing or another is refused', () => {
    commit(filesUpTo(2000));
    const files = directory.files();
    const [a, b] = pagesOf(read().files);
    const bytes = Buffer.from(files.get(a)!);
    bytes[bytes.length >> 1] ^= 4;
    const others = [
      new Map([...files, [a, bytes]]),
      new Map([...files, [a, files.get(b)!]]),
      new Map([...files].filter(([name]) => name !== a)),
    ];
    for (const damaged of others) {
      const wrong = new MemoryDirectory(arena, damaged);
      expect(() => openSnapshot(wrong)).toThrow(expect.objectContaining({ code: 'corrupt_index' }));
      expect(() => readCommit(wrong)!.files.all()).toThrow(
        expect.objectContaining({ code: 'corrupt_index' }),
      );
    }
  });

  test.each([
    ['nothing', {}],
    ['a format', { format: 3 }],
    ['pages that are no list', { format: 3, segments: [], files: { pages: {}, last: {} } }],
    ['the lists of format 2', { format: 3, segments: [], files: ['a'] }],
  ])('a commit with %s is refused', (_, value) => {
    writeFramed(directory, COMMIT_FILE, 'commit', [Buffer.from(JSON.stringify(value))]);
    expect(read).toThrow(expect.objectContaining({ code: 'corrupt_index' }));
  });

  test('commits of formats 1 and 2 have the same, and the next commit is of format 3', () => {
    const all = filesUpTo(2345);
    const checkpoint = {
      ...{ table_uuid: 't', snapshot_id: '1', sequence: '1', schema_id: 0, schema: { fields: [] } },
      ...{ data_files: all.length, delete_files: Math.ceil(2345 / 7) },
    };
    const skipped = { rows: 2 * Math.ceil(2345 / 13), first: [] };
    const written = { ...emptyCommit(1, []), number: 1, checkpoint, skipped };
    for (const format of [1, 2] as const) {
      const old = new MemoryDirectory(arena);
      writeOldCommit(old, { ...written, files: dataFiles(all) }, format);
      const found = readCommit(old)!;
      expect(found.files.all()).toEqual(all);
      expect([found.checkpoint, found.skipped]).toEqual([checkpoint, skipped]);
      const next = IndexWriter.open(old, []);
      next.commit({ checkpoint: next.lastCommit.checkpoint, files: next.lastCommit.files });
      next.close();
      const upgraded = readCommit(old)!;
      expect([upgraded.format, upgraded.number, upgraded.files.pages.length]).toEqual([3, 2, 2]);
      expect(upgraded.files.all()).toEqual(all);
      expect([upgraded.checkpoint, upgraded.skipped]).toEqual([checkpoint, skipped]);
    }
  });

  test('a partial page of a path twice keeps both entries', () => {
    const [{ entries }] = filesUpTo(1);
    const twice = { path: 'a', entries: [...entries, { ...entries[0], sequence: '9' }] };
    commit([twice]);
    expect(read().files.at(0)).toEqual(twice);
  });

  test('a commit that only merges writes no page', () => {
    commit(filesUpTo(2000));
    const { files } = writer.lastCommit;
    expect(writer.commit({ checkpoint: null, files }).files.pages).toEqual(files.pages);
    writeCommit(directory, { ...read(), files: filesNamed('a') });
    expect(read().files.paths()).toEqual(['a']);
  });
});

describe('the golden indexes of formats 1 and 2', () => {
  test.each(['golden-v1', 'golden-v2'])('have the files of their commits: %s', (version) => {
    const path = fileURLToPath(
      new URL(`../../../../../fixtures/${version}/index/commit`, import.meta.url),
    );
    const bytes = readFileSync(path);
    const old = JSON.parse(bytes.subarray(64, -16).toString());
    const found = readCommit(new MemoryDirectory(arena, new Map([['commit', bytes]])))!;
    expect(found.files.paths()).toEqual(old.files);
    const { deletes, files } = old.checkpoint.file_set;
    for (const { file, deletes: applied, ...state } of files) {
      const refs = applied.map((number: number) => deletes[number]);
      expect(found.files.at(file).entries).toEqual([{ ...state, deletes: refs }]);
    }
    const { data_files, delete_files } = found.checkpoint!;
    expect([data_files, delete_files]).toEqual([files.length, deletes.length]);
  });
});
