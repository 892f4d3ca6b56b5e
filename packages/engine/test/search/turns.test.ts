/** Searches of the calling thread: those that take long let the event loop turn. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const COMMITS = 4;
const TURN_MS = 5;
let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schemaOf({ id: 'long', text: 'string' }));
  await lake.define(`key: { identifier: [id] }
fields:
  - { name: text, type: TEXT }
  - { name: id, type: LONG }`);
  for (let commit = 0; commit < COMMITS; commit++) {
    const rows = [0, 1].map((row) => ({ id: 2 * commit + row, text: `fox${row} dog` }));
    await lake.append(rows);
    await (commit === 0 ? lake.backend.reindex({}) : lake.backend.sync({}));
  }
});
afterAll(() => lake.close());

describe.each([
  ['a pattern', 'text:/fox.*/'],
  ['two clauses', 'text:/fox.*/ AND text:dog'],
] as const)('a search for %s', (_, query) => {
  const request = { index: 't', query, limit: 0 };
  const ended = async () => {
    let turns = 0;
    const turn = () => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const { total } = await lake.backend.search(request);
    clearImmediate(next);
    return { turns, total };
  };
  /** Milliseconds that pass between two looks at the clock. */
  let pass = 0;
  beforeEach(() => {
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += pass));
  });
  afterEach(() => vi.restoreAllMocks());

  it('runs in one turn of the event loop if it is short', async () => {
    pass = 0;
    await ended();
    expect(await ended()).toEqual({ turns: 0, total: 2 * COMMITS });
  });

  it('lets others run between its segments if it is long, and finds the same', async () => {
    const { segments = 0 } = await lake.backend.describeIndex({ index: 't' });
    expect(segments).toBe(COMMITS);
    pass = TURN_MS + 1;
    const { turns, total } = await ended();
    expect(total).toBe(2 * COMMITS);
    expect(turns).toBeGreaterThan(segments);
  });
});
