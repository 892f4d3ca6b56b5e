import { describe, expect, it } from 'vitest';
import { dataFile, equality, position, vector } from '../../test/planned-files.ts';
import type { DataFile, DeleteFile, FileScan } from '../metadata/file-set.ts';
import type { Value } from '../schema/type.ts';
import { buildDeleteIndex, partitionKey } from './delete-index.ts';
import { diffFileSets } from './diff-file-sets.ts';

describe('the scope of deletes', () => {
  const applied = (deletes: DeleteFile[], file: DataFile, flat = false) =>
    buildDeleteIndex(deletes, () => flat)
      .deletesFor(file)
      .map((d) => d.path);
  const inPartition = (value: Value) => dataFile('f', { specId: 1, partition: [value] });

  it('of positions reaches data of the same and of smaller sequence numbers', () => {
    for (const [sequence, reached] of [
      [4n, []],
      [5n, ['d']],
      [6n, ['d']],
    ] as const) {
      expect(applied([position('d', { dataSequence: sequence })], dataFile('f'))).toEqual(reached);
    }
  });

  it('of equal values reaches strictly smaller sequence numbers only', () => {
    for (const [sequence, reached] of [
      [4n, []],
      [5n, []],
      [6n, ['d']],
    ] as const) {
      expect(applied([equality('d', { dataSequence: sequence })], dataFile('f'))).toEqual(reached);
    }
  });

  it('is the partition and its spec, unless an equality delete is of an unpartitioned one', () => {
    const late = { dataSequence: 9n, specId: 1 };
    const deletes = [
      equality('e', { ...late, partition: ['a'] }),
      position('p', { ...late, partition: ['a'] }),
    ];
    expect(applied(deletes, inPartition('a'))).toEqual(['e', 'p']);
    expect(applied(deletes, inPartition('b'))).toEqual([]);
    expect(applied(deletes, dataFile('f', { specId: 2, partition: ['a'] }))).toEqual([]);
    expect(applied([equality('g', { dataSequence: 9n })], inPartition('b'), true)).toEqual(['g']);
    expect(applied([position('g', { dataSequence: 9n })], inPartition('b'), true)).toEqual([]);
  });

  it('of a vector is one file, in which it takes the place of position deletes', () => {
    const deletes = [position('p'), equality('e', { dataSequence: 7n }), vector('file:/t/f')];
    expect(applied(deletes, dataFile('file:///t/f'))).toEqual(['e', 'dv.puffin']);
    expect(applied(deletes, dataFile('file:///t/g'))).toEqual(['e', 'p']);
    expect(applied([position('p'), vector('f', { dataSequence: 4n })], dataFile('f'))).toEqual([
      'p',
    ]);
    expect(() => applied([vector('f'), vector('f')], dataFile('f'))).toThrow(
      /two deletion vectors/,
    );
  });

  it('narrows by the named file and by bounds of one spelling', () => {
    const named = position('d', { referencedDataFile: 'file:/t/f' });
    expect(applied([named], dataFile('/t/f'))).toEqual(['d']);
    expect(applied([named], dataFile('/t/g'))).toEqual([]);
    const bounded = position('d', { pathBounds: { lower: 'file:/t/b', upper: 'file:/t/d' } });
    expect(applied([bounded], dataFile('file:/t/c'))).toEqual(['d']);
    expect(applied([bounded], dataFile('file:/t/e'))).toEqual([]);
    expect(applied([bounded], dataFile('file:///t/e'))).toEqual(['d']);
  });

  it('does not trust bounds that are inverted or cut', () => {
    const reached = (lower: string, upper: string, path: string) =>
      applied([position('d', { pathBounds: { lower, upper } })], dataFile(path)).length === 1;
    expect(reached('file:/t/z', 'file:/t/a', 'file:/t/c')).toBe(true);
    expect(reached('file:/t/a', 'file:/t/c', 'file:/t/cat')).toBe(true);
    expect(reached('file:/t/a', 'file:/t/c', 'file:/t/d')).toBe(false);
    // one text: the path of the file, or the start of all paths
    expect(reached('file:/t/c', 'file:/t/c', 'file:///t/c')).toBe(true);
    expect(reached('file:/t/c', 'file:/t/c', 'file:/t/cat')).toBe(true);
    expect(reached('file:/t/c', 'file:/t/c', 'file:/t/b')).toBe(false);
  });

  it('tells partition tuples apart, and null, NaN and zeros right', () => {
    const key = (...partition: Value[]) => partitionKey({ specId: 1, partition });
    expect(key('a', 'b')).not.toBe(key('a,b'));
    expect(key(null)).not.toBe(key('-'));
    expect(key('1')).not.toBe(key(1));
    expect(key(Number.NaN)).toBe(key(Number.NaN));
    expect(key(-0)).toBe(key(0));
    expect(key(new Uint8Array([1]))).toBe(key(new Uint8Array([1])));
  });
});

describe('diffFileSets', () => {
  const set = (...files: FileScan[]) => ({ snapshotId: 1n, files });
  const scan = (path: string, ...deletes: DeleteFile[]): FileScan => ({
    data: dataFile(path),
    deletes,
  });

  it('finds added, removed and changed files, whatever their spelling', () => {
    const d1 = position('d1');
    const diff = diffFileSets(
      set(scan('file:/a'), scan('/b', d1), scan('/c', d1), scan('/d')),
      set(scan('file:///a'), scan('/c', d1), scan('/d', vector('/d')), scan('/e')),
    );
    expect(diff.added.map((s) => s.data.path)).toEqual(['/e']);
    expect(diff.removed.map((s) => s.data.path)).toEqual(['/b']);
    expect(diff.changed.map((c) => [c.after.data.path, c.addedDeletes.length])).toEqual([
      ['/d', 1],
    ]);
  });

  it('tells vectors of one puffin file apart and counts a path that is listed twice', () => {
    const before = set(scan('/a', vector('/a')), scan('/b'), scan('/b'));
    const after = set(scan('/a', vector('/a', { contentOffset: 99 })), scan('/b'));
    const diff = diffFileSets(before, after);
    expect(diff.changed[0]!.addedDeletes.length + diff.changed[0]!.removedDeletes.length).toBe(2);
    expect(diff.removed.map((s) => s.data.path)).toEqual(['/b']);
  });
});
