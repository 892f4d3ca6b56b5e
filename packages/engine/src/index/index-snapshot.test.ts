import { describe, expect, test } from 'vitest';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { arena, Pair } from '../../../../test/support/writer-pair.ts';
import { openSnapshot } from './index-snapshot.ts';

describe('an open index snapshot', () => {
  test('shares unchanged segments with the next commit', () => {
    const directory = new MemoryDirectory(arena);
    const pair = new Pair(directory);
    for (const keys of [[1, 2], [3], [4]]) pair.run({ kind: 'put', keys });
    pair.run({ kind: 'commit' });
    const first = openSnapshot(directory);
    const [old] = first.segments;
    pair.run({ kind: 'put', keys: [5] });
    pair.run({ kind: 'commit' });
    const second = openSnapshot(directory, { former: first });
    expect(second.segments[0]).toBe(old);
    expect(second.segments.length).toBe(first.segments.length + 1);
    first.release();
    for (const key of ['k1', 'k5']) expect(second.find(Buffer.from(key))).not.toBeNull();

    // A delete replaces a file of the segment: it is opened anew, the open one stays as it was.
    pair.run({ kind: 'delete', keys: [1] });
    pair.run({ kind: 'commit' });
    const third = openSnapshot(directory, { former: second });
    expect(third.segments).not.toContain(old);
    expect(third.find(Buffer.from('k1'))).toBeNull();
    expect(second.find(Buffer.from('k1'))?.segment).toBe(old);
    second.release();
    expect(() => old.retain()).toThrow('closed');
    third.release();
    pair.writer.close();
  });
});
