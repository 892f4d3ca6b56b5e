import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { appendCommit, type PublishedCommit } from '../../src/home/chain.ts';
import { branchPinName, pinIfNewest, pinKey, pinnedCommits } from '../../src/home/pins.ts';
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

/** A home whose process is killed after a request, before which `before` runs. */
function killedAt(home: Home, request: number, before: () => Promise<void>): Home {
  let requests = 0;
  const through =
    <Q extends readonly unknown[], R>(send: (...of: Q) => Promise<R>) =>
    async (...of: Q): Promise<R> => {
      const isLast = requests++ === request;
      if (requests > request + 1) throw new Error('killed');
      if (isLast) await before();
      const answer = await send(...of);
      if (isLast) throw new Error('killed');
      return answer;
    };
  const { store } = home;
  const killed: Home['store'] = {
    ...{ head: through(store.head.bind(store)), get: through(store.get.bind(store)) },
    ...{ put: through(store.put.bind(store)), delete: through(store.delete.bind(store)) },
    list: async function* (...of) {
      const all = () => Array.fromAsync(store.list(...of));
      yield* await through(all)();
    },
    sweep: store.sweep.bind(store),
  };
  return { ...home, store: killed };
}

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
  it('goes if its commit was overtaken, and else keeps it', async () => {
    const home = await openHome(folder);
    const first = commitAt(1);
    await appendCommit(home, first);
    const second = commitAt(2);
    const overtaken = homeBeforePin(home, async () => {
      await appendCommit(home, second);
      await sweepFamily(home, uuid, second);
    });
    const pinned = async () => (await pinnedCommits(home, uuid)).map(({ number }) => number);
    expect(await pinIfNewest(overtaken, first, { name: 'a', now: 0 })).toBeNull();
    expect(await pinned()).toEqual([]);
    const pin = await pinIfNewest(home, second, { name: 'b', now: 0 });
    const third = commitAt(3);
    await appendCommit(home, third);
    await sweepFamily(home, uuid, third);
    expect(await pinned()).toEqual([2]);
    expect(await home.store.head(pinKey(pin!))).not.toBeNull();
  });

  it('stays for a branch that begins during a sweep, or the branch is refused', async () => {
    const home = await openHome(folder);
    const begun: boolean[] = [];
    for (let request = 0; request < 12; request++) {
      const [own, branch] = [randomUUID(), randomUUID()];
      const newest = { ...commitAt(1), uuid: own };
      await appendCommit(home, newest);
      const as = { name: branchPinName(branch), now: 0 };
      const pin = await pinIfNewest(home, newest, as);
      let isBegun = false;
      const killed = killedAt(home, request, async () => {
        isBegun = await appendCommit(home, { ...commitAt(1), uuid: branch });
      });
      await sweepFamily(killed, own, newest).catch(() => undefined);
      begun.push(isBegun);
      if (isBegun) expect(await home.store.head(pinKey(pin!)), `request ${request}`).not.toBeNull();
    }
    expect(new Set(begun)).toEqual(new Set([true, false]));
  });
});
