import type { Principal } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { type CallLimits, rateLimits } from './rate-limits.ts';

const LIMITS: CallLimits = {
  callsPerSecond: null,
  burst: 1,
  loginsPerMinute: 1000,
  failuresPerMinute: 1000,
  runningCalls: 8,
  runningPerCaller: 3,
  exportsPerCaller: 2,
  readerMs: 1000,
  connections: 10,
};
const arrival = { request_id: 'r', remote: '10.0.0.1', transport: 'rest' } as const;
const callOf = (subject: string, operation: Operation = 'search', tenant?: string) => {
  const principal: Principal = {
    ...{ subject, scopes: ['search'] },
    ...(tenant === undefined ? {} : { tenant }),
  };
  return { ...arrival, operation, principal };
};
const OVERLOADED = { code: 'overloaded', details: { retry_after_s: 1 } };

describe('limits of running calls', () => {
  it('refuse the caller that has many, not the others', async () => {
    const { admit, running } = rateLimits(LIMITS);
    const ends = await Promise.all([1, 2, 3].map(() => admit(callOf('heavy'))));
    await expect(admit(callOf('heavy'))).rejects.toMatchObject(OVERLOADED);
    const light = await admit(callOf('light'));
    expect(running()).toBe(4);
    ends[0]?.();
    const again = await admit(callOf('heavy'));
    for (const end of [again, light, ends[1], ends[2]]) end?.();
    expect(running()).toBe(0);
  });

  it('count the tokens of a tenant together', async () => {
    const { admit } = rateLimits(LIMITS);
    for (const subject of ['a', 'b', 'c']) await admit(callOf(subject, 'search', 'acme'));
    await expect(admit(callOf('d', 'search', 'acme'))).rejects.toMatchObject(OVERLOADED);
    await admit(callOf('d', 'search', 'globex'));
  });

  it('let a few exports run for a caller and for all', async () => {
    const limits = { ...LIMITS, runningCalls: 100 };
    const { admit, running } = rateLimits(limits);
    const exporting = (subject: string) => admit(callOf(subject, 'exportDocuments'));
    const ends = [await exporting('a'), await exporting('a')];
    await expect(exporting('a')).rejects.toMatchObject(OVERLOADED);
    expect(running()).toBe(2);
    await admit(callOf('a'));
    for (const subject of ['b', 'c', 'd']) {
      ends.push(await exporting(subject), await exporting(subject));
    }
    await expect(exporting('e')).rejects.toMatchObject(OVERLOADED);
    for (const end of ends) end?.();
    expect(running()).toBe(1);
    await exporting('e');
  });

  it('leave a caller whose streams wait for events half of its calls', async () => {
    const { admit, running } = rateLimits({ ...LIMITS, runningPerCaller: 4 });
    const ends = [await admit(callOf('a', 'follow')), await admit(callOf('a', 'watchJob'))];
    await expect(admit(callOf('a', 'follow'))).rejects.toMatchObject(OVERLOADED);
    ends.push(await admit(callOf('a')), await admit(callOf('b', 'follow')));
    for (const end of ends) end?.();
    expect(running()).toBe(0);
  });

  it('of a rate are absent where none is set', async () => {
    const { admit } = rateLimits(LIMITS);
    for (let n = 0; n < 500; n++) (await admit(callOf('fast')))?.();
  });
});
