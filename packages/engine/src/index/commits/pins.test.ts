import { describe, expect, test } from 'vitest';
import { filesNamed } from '../../../../../test/support/files-named.ts';
import { MemoryDirectory } from '../../../../../test/support/memory-directory.ts';
import { deleteAt } from '../../../../../test/support/writer-edits.ts';
import {
  arena,
  blockOf,
  modelOf,
  Pair,
  plans,
  type Row,
} from '../../../../../test/support/writer-pair.ts';
import { LIMITS } from '../../base/limits.ts';
import { pinsAmong } from '../../base/pin-names.ts';
import { IndexWriter } from '../index-writer.ts';
import { filesOf, readCommit } from './commit.ts';
import { extendPin, openPinned, pinCommit, releasePin } from './pins.ts';

const state = { checkpoint: null, files: filesNamed('a', 'b', 'c') };
const rows = (from: number, count: number): [string, Row][] =>
  Array.from({ length: count }, (_, i) => [
    `k${from + i}`,
    { n: BigInt(from + i), file: 0, position: from + i },
  ]);

/** What a pinned commit answers. */
function pinnedModel(directory: MemoryDirectory, id: string, now = 0) {
  const snapshot = openPinned(directory, id, { now });
  try {
    return new Map(modelOf(snapshot));
  } finally {
    snapshot.release();
  }
}

describe('pins', () => {
  test('keep a commit through changes, merges and reopening, until they are released', () => {
    const directory = new MemoryDirectory(arena);
    const pair = new Pair(directory);
    pair.run({ kind: 'put', keys: [1, 2, 3, 4] });
    pair.run({ kind: 'commit' });
    const pin = pinCommit(directory, 1000, 0);
    const before = new Map(pair.committed);
    expect(pinnedModel(directory, pin.id)).toEqual(before);
    for (const kind of ['delete', 'put', 'move'] as const) {
      pair.run({ kind, keys: [2, 3, 7] });
      pair.run({ kind: 'commit' });
      pair.run({ kind: 'force' });
      pair.run({ kind: 'commit' });
      pair.run({ kind: 'reopen' });
      expect(pinnedModel(directory, pin.id)).toEqual(before);
    }
    expect(releasePin(directory, pin.id)).toBe(true);
    expect(releasePin(directory, pin.id)).toBe(false);
    expect(() => pinnedModel(directory, pin.id)).toThrow('closed or expired');
    pair.run({ kind: 'reopen' });
    expect(directory.list()).toEqual([...filesOf(readCommit(directory)!)].sort());
    pair.writer.close();
  });

  test('are refused and swept when expired or far in the future', () => {
    const directory = new MemoryDirectory(arena);
    let now = 1_000_000;
    const writer = IndexWriter.open(directory, plans, { now: () => now });
    writer.add(blockOf(rows(0, 10)));
    writer.commit(state);
    const short = pinCommit(directory, 100, now);
    const long = pinCommit(directory, LIMITS.pinMillis, now);
    pinCommit(directory, LIMITS.pinMillis, now + 1);
    deleteAt(writer, [{ file: 0, position: 1 }]);
    writer.merges.runForced(1);
    writer.commit(state);
    const pins = () => pinsAmong(directory.list()).map(({ id }) => id);
    expect(pins()).toEqual(expect.arrayContaining([short.id, long.id]));
    expect(pins().length).toBe(2);
    now += 100;
    expect(() => openPinned(directory, short.id, { now })).toThrow('closed or expired');
    expect(pinnedModel(directory, long.id, now).size).toBe(10);
    writer.commit(state);
    expect(pins()).toEqual([long.id]);
    const extended = extendPin(directory, long.id, 500, now);
    expect(extended).toMatchObject({ id: long.id, expiresAt: now + 500 });
    expect(pinnedModel(directory, long.id, now).size).toBe(10);
    now += 500;
    writer.commit(state);
    writer.close();
    expect(directory.list()).toEqual([...filesOf(readCommit(directory)!)].sort());
  });

  test('move to a commit that is made while they are created', () => {
    const directory = new MemoryDirectory(arena);
    const writer = IndexWriter.open(directory, plans, { now: () => 0 });
    writer.add(blockOf(rows(0, 10)));
    writer.commit(state);
    let reads = 0;
    const racing = new Proxy(directory, {
      get(target, name) {
        if (name === 'read' && ++reads === 2) {
          deleteAt(writer, [{ file: 0, position: 1 }]);
          writer.merges.runForced(1);
          writer.commit(state);
        }
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const pin = pinCommit(racing, 1000, 0);
    expect(reads).toBeGreaterThan(2);
    expect(pinsAmong(directory.list())).toEqual([pin]);
    deleteAt(
      writer,
      [2, 3].map((position) => ({ file: 0, position })),
    );
    writer.commit(state);
    expect(pinnedModel(directory, pin.id).size).toBe(9);
    writer.close();
  });

  test('keep nothing if truncated, and are swept when expired', () => {
    const directory = new MemoryDirectory(arena);
    let now = 0;
    const writer = IndexWriter.open(directory, plans, { now: () => now });
    writer.add(blockOf(rows(0, 10)));
    writer.commit(state);
    const { file } = pinCommit(directory, 50, 0);
    const torn = new Map(directory.files());
    torn.set(file, torn.get(file)!.subarray(0, 100));
    writer.close();
    const left = new MemoryDirectory(arena, torn);
    const next = IndexWriter.open(left, plans, { now: () => now });
    deleteAt(next, [{ file: 0, position: 1 }]);
    next.merges.runForced(1);
    next.commit(state);
    expect(left.list()).toEqual([...filesOf(readCommit(left)!), file].sort());
    now = 50;
    next.commit(state);
    expect(left.list()).toEqual([...filesOf(readCommit(left)!)].sort());
    next.close();
  });

  test('are limited in number and time', () => {
    const directory = new MemoryDirectory(arena);
    expect(() => pinCommit(directory, 1000, 0)).toThrow('holds no commit');
    const writer = IndexWriter.open(directory, plans, { now: () => 0 });
    writer.add(blockOf(rows(0, 1)));
    writer.commit(state);
    for (const ttl of [0, -1, 0.5, LIMITS.pinMillis + 1, Number.NaN]) {
      expect(() => pinCommit(directory, ttl, 0)).toThrow('cannot be kept');
    }
    for (let i = 0; i < LIMITS.pins; i++) pinCommit(directory, 1000 + i, 0);
    expect(() => pinCommit(directory, 1000, 0)).toThrow(`at most ${LIMITS.pins}`);
    expect(pinCommit(directory, 1000, 1000).expiresAt).toBe(2000);
    writer.close();
  });
});
