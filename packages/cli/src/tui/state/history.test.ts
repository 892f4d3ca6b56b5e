import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addHistory, historyFile, readHistory } from './history.ts';

describe('the query history', () => {
  it('stores distinct queries per index, newest first, in a bounded file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-history-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = historyFile(join(folder, 'data'));
    expect(await readHistory(file, 'a')).toEqual([]);
    for (const query of ['one', 'two', 'one']) await addHistory(file, 'a', query);
    await addHistory(file, 'b', 'other');
    appendFileSync(file, 'not json\n{"index":1}\n');
    expect(await readHistory(file, 'a')).toEqual(['one', 'two']);
    const many = Array.from({ length: 1200 }, (_, i) =>
      JSON.stringify({ index: 'a', query: `q${i}` }),
    );
    appendFileSync(file, `${many.join('\n')}\n`);
    await addHistory(file, 'a', 'last');
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1000);
    expect((await readHistory(file, 'a')).slice(0, 2)).toEqual(['last', 'q1199']);
  });
});
