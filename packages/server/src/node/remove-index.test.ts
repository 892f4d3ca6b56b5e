import type { DropResponse } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { removals } from './remove-index.ts';

const dropped = (index: string): DropResponse => ({
  ...{ index, aliases: [], saved_queries: 0, jobs: 0 },
  ...{ generations: 1, points_in_time: 0, bytes: 9 },
});

describe('removals of dropped indexes', () => {
  it('leave a later index of the same name alone, also when they come at once', async () => {
    let held = [{ index: 'notes', uuid: 'old' }];
    const dropIndex = async ({ index }: { readonly index: string }) => {
      const own = held;
      await Promise.resolve();
      held = own[0].uuid === 'old' ? [{ index, uuid: 'new' }] : [];
      return dropped(index);
    };
    const remove = removals({ dropIndex }, () => held);
    const old = { index: 'notes', uuid: 'old' };
    expect(await Promise.all([remove(old), remove(old)])).toEqual([dropped('notes'), undefined]);
    expect(held).toEqual([{ index: 'notes', uuid: 'new' }]);
  });

  it('go on after one that failed', async () => {
    let isBusy = true;
    const dropIndex = async ({ index }: { readonly index: string }) => {
      if (isBusy) throw new Error('busy');
      return dropped(index);
    };
    const remove = removals({ dropIndex }, () => [{ index: 'notes', uuid: 'old' }]);
    await expect(remove({ index: 'notes', uuid: 'old' })).rejects.toThrow('busy');
    isBusy = false;
    expect(await remove({ index: 'notes', uuid: 'old' })).toEqual(dropped('notes'));
  });
});
