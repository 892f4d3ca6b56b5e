import { type FollowEvent, LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { followService } from './follow-service.ts';

const waiting: FollowEvent = { event: 'waiting', at: '2026-01-01T00:00:00Z', every_ms: 5 };
const away = new LhsError('unreachable', 'cannot reach it');

/** A service whose streams end one after the other, with an error or without. */
function serviceOf(...streams: readonly (readonly (FollowEvent | LhsError)[])[]) {
  const left = [...streams];
  return {
    async *follow(): AsyncGenerator<FollowEvent> {
      for (const item of left.shift() ?? []) {
        if (item instanceof LhsError) throw item;
        yield item;
      }
    },
  };
}

/** The first `count` events, and then a stop. */
async function firstEvents(service: ReturnType<typeof serviceOf>, count: number) {
  const stop = new AbortController();
  const events: FollowEvent[] = [];
  for await (const event of followService(service, { index: 'a' }, stop.signal)) {
    events.push(event);
    if (events.length === count) stop.abort();
  }
  return events;
}

describe('a follower of a service', () => {
  it('connects again when the service goes away, with an error or without', async () => {
    const service = serviceOf([waiting, away], [waiting], [waiting]);
    const events = await firstEvents(service, 5);
    expect(events.map(({ event }) => event)).toEqual([
      'waiting',
      'retry',
      'waiting',
      'retry',
      'waiting',
    ]);
    expect(events[1]).toMatchObject({ code: 'unreachable', message: 'cannot reach it' });
    expect(events[3]).toMatchObject({ message: 'the service has ended the stream' });
  });

  it.each([
    ['the service was never there', [away]],
    ['the index is dropped', [waiting, new LhsError('index_not_found', 'gone')]],
  ])('ends with the error if %s', async (_, stream) => {
    await expect(firstEvents(serviceOf(stream), 9)).rejects.toBe(stream.at(-1));
  });
});
