import { ERROR_CODES, type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { lookPause, mendsItself, retryPause } from './follow-pace.ts';

const error = (code: ErrorCode) => new LhsError(code, code);

describe('the pace of following', () => {
  it('slows down to the given pause, with up to a fifth of jitter', () => {
    const pauses = Array.from({ length: 8 }, (_, looks) => lookPause(looks, 5000, 0));
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 5000]);
    expect(lookPause(3, 5000, 0.5)).toBe(1800);
    expect(lookPause(0, 100, 0)).toBe(100);
    expect(lookPause(1e9, 5000, 0.999999)).toBeGreaterThanOrEqual(4000);
  });

  it('retries ever later up to a minute with half jitter, sooner after another writer', () => {
    const away = error('source_unreachable');
    const longest = Array.from({ length: 9 }, (_, n) => retryPause(away, n, 1));
    expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(retryPause(away, 1e9, 0)).toBe(30_000);
    expect(retryPause(error('index_busy'), 1e9, 1)).toBe(5000);
  });

  it('waits only for errors that pass by themselves', () => {
    const passing = (seen: { reached: boolean; inARow: number }) =>
      (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => mendsItself(error(code), seen));
    const always = [
      'disk_full',
      'index_busy',
      'io_error',
      'source_not_found',
      'source_unreachable',
    ];
    expect(passing({ reached: false, inARow: 0 }).sort()).toEqual(always);
    expect(passing({ reached: true, inARow: 0 }).sort()).toEqual(
      [...always, 'permission_denied', 'source_invalid'].sort(),
    );
    expect(passing({ reached: true, inARow: 3 }).sort()).toEqual(
      [...always, 'permission_denied'].sort(),
    );
  });
});
