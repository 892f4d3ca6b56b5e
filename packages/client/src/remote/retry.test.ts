import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { retrying } from './retry.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** An attempt that fails with these errors, then succeeds; it counts itself. */
function failing(...errors: readonly (readonly [ErrorCode, object?])[]) {
  const times: number[] = [];
  const attempt = async () => {
    const [code, details] = errors[times.length] ?? [];
    times.push(Date.now());
    if (code !== undefined) throw new LhsError(code, code, { details: { ...details } });
    return 'done';
  };
  return { attempt, times };
}

/** The outcome of a call whose pauses pass at once. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  const settled = call.catch((error: LhsError) => error.code);
  await vi.runAllTimersAsync();
  return settled;
}

describe('a call that is retried', () => {
  const idempotent = { retryMs: 10_000, idempotent: true };
  const once = { retryMs: 10_000, idempotent: false };

  it('succeeds after errors that pass', async () => {
    const { attempt, times } = failing(['unreachable'], ['closed'], ['overloaded']);
    expect(await outcome(retrying(attempt, idempotent, {}))).toBe('done');
    expect(times).toHaveLength(4);
  });

  it('survives a service that is away for seconds, and ends when its window does', async () => {
    const start = Date.now();
    const away = async () => {
      if (Date.now() - start < 7000) throw new LhsError('unreachable', 'away');
      return 'done';
    };
    expect(await outcome(retrying(away, idempotent, {}))).toBe('done');
    const { attempt, times } = failing(...Array.from({ length: 99 }, () => ['closed'] as const));
    expect(await outcome(retrying(attempt, idempotent, {}))).toBe('closed');
    const spans = times.map((time) => time - times[0]);
    expect(Math.max(...spans)).toBeGreaterThan(7000);
    expect(Math.max(...spans)).toBeLessThan(10_000);
    const single = failing(['closed']);
    expect(await outcome(retrying(single.attempt, { ...idempotent, retryMs: 0 }, {}))).toBe(
      'closed',
    );
  });

  it('is not repeated after an error that stays', async () => {
    const stays = [['invalid_query'], ['unreachable', { retry: false }]] as const;
    for (const error of stays) {
      const { attempt, times } = failing(error);
      expect(await outcome(retrying(attempt, idempotent, {}))).toBe(error[0]);
      expect(times).toHaveLength(1);
    }
  });

  it('is repeated without being idempotent only if the service cannot have run it', async () => {
    expect(await outcome(retrying(failing(['unreachable']).attempt, once, {}))).toBe('unreachable');
    const unsent = failing(['unreachable', { sent: false }], ['overloaded']);
    expect(await outcome(retrying(unsent.attempt, once, {}))).toBe('done');
  });

  it('waits as long as the service requests', async () => {
    const { attempt, times } = failing(['overloaded', { retry_after_s: 8 }]);
    expect(await outcome(retrying(attempt, idempotent, {}))).toBe('done');
    expect(times[1] - times[0]).toBeGreaterThanOrEqual(8000);
  });

  it('ends if the service requests a pause beyond the window', async () => {
    for (const retry_after_s of [10, 1e9, Number.POSITIVE_INFINITY, Number.NaN]) {
      const { attempt, times } = failing(['overloaded', { retry_after_s }]);
      expect(await outcome(retrying(attempt, idempotent, {}))).toBe('overloaded');
      expect(times).toHaveLength(1);
    }
  });

  it('begins no pause that would pass the deadline, and ends when it is aborted', async () => {
    const late = failing(['overloaded', { retry_after_s: 3 }]);
    const deadline = Date.now() + 1000;
    expect(await outcome(retrying(late.attempt, idempotent, { deadline }))).toBe('overloaded');
    const stop = new AbortController();
    const { attempt } = failing(['unreachable']);
    const call = retrying(attempt, idempotent, { signal: stop.signal });
    const settled = call.catch((error: LhsError) => error);
    await vi.advanceTimersByTimeAsync(1);
    const reason = new Error('the page was left');
    stop.abort(reason);
    const aborted = { code: 'interrupted', name: 'AbortError', cause: reason };
    expect(await settled).toMatchObject(aborted);
  });
});
