import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { appendCommit, type PublishedCommit } from '../../src/home/chain.ts';
import { pinKey, pinNewest, pinnedCommits } from '../../src/home/pins.ts';
import { openHome } from '../../src/home/repository.ts';
import type { Home } from '../../src/home/stored-json.ts';
import { sweepFamily } from '../../src/home/sweep.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-late-pin-'));
afterAll(() => rmSync(folder, { recursive: true }));

const uuid = randomUUID();
const commitAt = (number: number): PublishedCommit => ({
  ...{ format: 1, number, attempt: randomUUID(), index: 't', uuid, definition: '' },
  ...{ definition_version: 1, base_dir: '/', generation: 1, commit: number },
  ...{ bundles: [], files: {}, former: [] },
});

/** A home in which `before` runs once, before the first pin is written. */
function homeBeforePin(home: Home, before: () => Promise<void>): Home {
  let isFirst = true;
  const { store } = home;
  const put: Home['store']['put'] = async (key, ...rest) => {
    if (key.startsWith('pins/') && isFirst) {
      isFirst = false;
      await before();
    }
    return store.put(key, ...rest);
  };
  const bound: Home['store'] = {
    ...{ head: store.head.bind(store), get: store.get.bind(store), put },
    ...{ list: store.list.bind(store), delete: store.delete.bind(store) },
    sweep: store.sweep.bind(store),
  };
  return { ...home, store: bound };
}

describe('a pin', () => {
  it('names the commit that overtook it, which a sweep keeps', async () => {
    const home = await openHome(folder);
    await appendCommit(home, commitAt(1));
    const second = commitAt(2);
    const overtaken = homeBeforePin(home, async () => {
      await appendCommit(home, second);
      await sweepFamily(home, uuid, second);
    });
    const { pin, commit } = await pinNewest(overtaken, { uuid, number: 1 }, { name: 'a', now: 0 });
    expect([pin.number, commit.number]).toEqual([2, 2]);
    expect((await pinnedCommits(home, uuid)).map(({ number }) => number)).toEqual([2]);
    expect(await home.store.head(pinKey(pin))).not.toBeNull();
  });
});
