import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import { FollowedPlaces, type OpenPlace } from './followed-places.ts';

const PLACE = 's3://bucket/indexes';
const AWAY = {
  code: 'unreachable',
  message: `"${PLACE}" cannot be opened`,
  hint: 'try again; the log of the node says what fails',
};

function placesThat(open: () => Promise<OpenPlace>) {
  const faults = new RepeatedFaults({ warn: () => {}, info: () => {} } as never);
  return new FollowedPlaces({
    open,
    own: { has: () => false, isDefined: () => false },
    takes: [],
    faults,
  });
}

describe('a node that opens the place that it was started for', () => {
  it('waits for it, and says that it cannot be opened', async () => {
    const opening = [Promise.withResolvers<OpenPlace>(), Promise.withResolvers<OpenPlace>()];
    let attempt = 0;
    const places = placesThat(() => opening[attempt++].promise);
    const first = places.follow(new Map([[PLACE, null]]));
    const required = places.requireOpen();
    expect(await Promise.race([required, 'waits'])).toBe('waits');
    opening[0].reject(new LhsError('source_unreachable', 'connect ECONNREFUSED'));
    await expect(required).rejects.toMatchObject(AWAY);
    await first;
    await expect(places.requireOpen()).rejects.toMatchObject(AWAY);
    const again = places.follow(new Map([[PLACE, null]]));
    opening[1].resolve({} as OpenPlace);
    await again;
    await places.requireOpen();
  });

  it('does not wait for single indexes that a control plane names', async () => {
    const places = placesThat(() => new Promise(() => {}));
    void places.follow(new Map([[PLACE, ['notes']]]));
    await places.requireOpen();
  });
});
