import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it, vi } from 'vitest';
import { RememberedCallers, type VerifiedCaller } from './remembered-callers.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const ann: VerifiedCaller = { principal: { subject: 'ann', scopes: ['search'] }, expiresMs: null };
const away = () => Promise.reject(new LhsError('unreachable', 'cannot reach PostgreSQL'));
const refused = () => Promise.reject(new LhsError('unauthenticated', 'unknown'));

/** Callers whose accounts answer as `answer.of` says. */
function remembered(expiresMs: number | null = null) {
  const clock = { now: 1_000_000 };
  const answer = { of: async (): Promise<VerifiedCaller> => ({ ...ann, expiresMs }) };
  const counts = { verified: 0 };
  const verify = () => {
    counts.verified++;
    return answer.of();
  };
  const callers = new RememberedCallers({ verify, now: () => clock.now });
  const call = async () => (await callers.callerOf('ApiKey k')).principal.subject;
  return { clock, answer, counts, callers, call };
}

describe('a caller that was verified', () => {
  it('is verified once per second', async () => {
    const { clock, counts, call } = remembered();
    for (const step of [0, 999, 1]) {
      clock.now += step;
      expect(await call()).toBe('ann');
    }
    expect(counts.verified).toBe(2);
  });

  it('is known for 15 minutes while accounts cannot be read', async () => {
    const { clock, answer, call } = remembered();
    await call();
    answer.of = away;
    clock.now += 15 * MINUTE - 1;
    expect(await call()).toBe('ann');
    clock.now += 1;
    await expect(call()).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('does not wait for accounts that do not answer', async () => {
    const { clock, answer, counts, call } = remembered();
    await call();
    answer.of = () => new Promise(() => {});
    clock.now += MINUTE;
    expect([await call(), await call()]).toEqual(['ann', 'ann']);
    expect(counts.verified).toBe(2);
  });

  it('waits once for silent accounts, whichever its header, until they answer', async () => {
    vi.useFakeTimers();
    const { clock, answer, counts, callers, call } = remembered();
    await Promise.all([call(), callers.callerOf('ApiKey other')]);
    const silent = Promise.withResolvers<VerifiedCaller>();
    answer.of = () => silent.promise;
    clock.now += SECOND;
    const first = call();
    await vi.advanceTimersByTimeAsync(200);
    expect(await first).toBe('ann');
    // no timer runs from here on
    await callers.callerOf('ApiKey other');
    expect([await call(), counts.verified]).toEqual(['ann', 3]);
    silent.reject(new LhsError('deadline_exceeded', 'no answer'));
    await expect(silent.promise).rejects.toThrow();
    answer.of = refused;
    await call();
    await expect(call()).rejects.toMatchObject({ code: 'unauthenticated' });
    vi.useRealTimers();
  });

  it('counts for others no longer than its accounts may be away', async () => {
    const { clock, answer, callers, call } = remembered();
    await call();
    answer.of = away;
    clock.now += MINUTE;
    const { expiresMs } = await callers.callerOf('ApiKey k');
    expect(expiresMs).toBe(1_000_000 + 15 * MINUTE);
  });

  it('is refused as soon as accounts refuse it, and unknown after that', async () => {
    const { clock, answer, call } = remembered();
    await call();
    answer.of = refused;
    clock.now += SECOND;
    await expect(call()).rejects.toMatchObject({ code: 'unauthenticated' });
    answer.of = away;
    await expect(call()).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('is not known beyond the end of its credentials', async () => {
    const { clock, answer, call } = remembered(1_000_000 + MINUTE);
    await call();
    answer.of = away;
    clock.now += MINUTE - 1;
    expect(await call()).toBe('ann');
    clock.now += 1;
    await expect(call()).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('is not remembered if accounts changed while it was verified', async () => {
    const { answer, callers, call } = remembered();
    const slow = Promise.withResolvers<VerifiedCaller>();
    answer.of = () => slow.promise;
    const first = call();
    callers.forget();
    slow.resolve(ann);
    await first;
    answer.of = away;
    await expect(call()).rejects.toMatchObject({ code: 'unreachable' });
  });
});

describe('an unknown caller', () => {
  it('is refused at once while another one waits for accounts that failed', async () => {
    const { answer, callers, call } = remembered();
    answer.of = away;
    await expect(call()).rejects.toMatchObject({ code: 'unreachable' });
    const silent = Promise.withResolvers<VerifiedCaller>();
    answer.of = () => silent.promise;
    const waiting = callers.callerOf('ApiKey first');
    await expect(call()).rejects.toMatchObject({ code: 'unreachable' });
    silent.resolve(ann);
    expect(await waiting).toBe(ann);
    expect(await call()).toBe('ann');
  });
});
