import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { markDropped, removeHead, writeHead } from '../../src/home/chain.ts';
import { isRepository, markHome, openHome, unmarkEmpty } from '../../src/home/repository.ts';
import type { Home } from '../../src/home/stored-json.ts';

const HEAD = { uuid: '11111111-1111-4111-8111-111111111111', number: 1 };
let folder: string;
let home: Home;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-mark-'));
  home = await openHome(folder);
  await markHome(home);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the mark of a place', () => {
  it('goes with the last index', async () => {
    await writeHead(home, 'one', HEAD, null);
    await markDropped(home, HEAD.uuid);
    await unmarkEmpty(home);
    expect(await isRepository(home)).toBe(true);
    await removeHead(home, 'one');
    await unmarkEmpty(home);
    expect(await isRepository(home)).toBe(false);
  });

  it('is there if another index comes meanwhile', async () => {
    const remove = home.store.delete.bind(home.store);
    home.store.delete = async (keys) => {
      await writeHead(home, 'other', HEAD, null);
      await remove(keys);
    };
    await unmarkEmpty(home);
    expect(await isRepository(home)).toBe(true);
  });
});
