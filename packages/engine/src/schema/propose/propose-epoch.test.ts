import { describe, expect, it } from 'vitest';
import { epochFormat } from './propose-epoch.ts';

describe('how whole numbers count time', () => {
  it.each([
    ['ts', [1_700_000_000, null, 1_000_000_000], 'epoch_s'],
    ['created_at', [1_700_000_000_000n], 'epoch_ms'],
    ['eventTime', [1_700_000_000_000_000n, 1_000_000_000_000_000n], 'epoch_us'],
    ['date', [19_580_329, 20_240_101], undefined],
    ['ts', [1_700_000_000, 12], undefined],
    ['ts', [1_700_000_000, 1_700_000_000_000], undefined],
    ['ts', [null], undefined],
    ['population', [1_400_000_000], undefined],
    ['creation_state', [1_700_000_000], undefined],
  ] as const)('is seen in the name and in all values: %s', (name, values, format) => {
    expect(epochFormat(name, values)).toBe(format);
  });
});
