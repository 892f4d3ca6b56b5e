import { afterEach, describe, expect, it, vi } from 'vitest';
import { Looks } from '../../base/looks.ts';
import { SYSTEM_CLOCK } from '../../base/time/clock.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { repeatUntilReached } from './wait-for-snapshot.ts';

describe('a read that waits for a snapshot', () => {
  afterEach(() => vi.restoreAllMocks());

  it('reads no commit that was looked at before the one it waits behind', async () => {
    const indexes = { clock: SYSTEM_CLOCK, resolve: () => ({ folder: '/no/such/folder' }) };
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const looks = new Looks();
    const former = looks.period;
    const attempt = async () => looks.period;
    const own = await repeatUntilReached(indexes as unknown as LocalIndexes, {}, {}, attempt);
    expect(own).not.toBe(former);
  });
});
