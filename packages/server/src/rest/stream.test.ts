import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ndjson } from './stream.ts';

/** Numbers without end; `ended`: nobody wants more of them. */
function numbers() {
  const state = { ended: false };
  const items = (async function* () {
    try {
      for (let n = 0; ; n++) yield n;
    } finally {
      state.ended = true;
    }
  })();
  return { state, items };
}

/** Its reader has left. */
async function destroyed(lines: Readable): Promise<void> {
  const closed = once(lines, 'close');
  lines.destroy();
  await closed;
}

describe('lines of JSON', () => {
  it('end once, and let go of the items, if nobody reads them', async () => {
    const { state, items } = numbers();
    const ends: number[] = [];
    const lines = await ndjson(items, (bytes) => ends.push(bytes));
    await destroyed(lines);
    expect([ends, state.ended]).toEqual([[0], true]);
  });

  it('end once, and let go of the items, if the reader leaves', async () => {
    const { state, items } = numbers();
    const ends: number[] = [];
    const lines = await ndjson(items, (bytes) => ends.push(bytes));
    const [line] = await once(lines, 'data');
    expect(String(line)).toBe('0\n');
    await destroyed(lines);
    expect([ends.length, state.ended]).toEqual([1, true]);
  });
});
