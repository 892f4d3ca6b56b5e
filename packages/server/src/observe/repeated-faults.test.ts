import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it, vi } from 'vitest';
import { RepeatedFaults } from './repeated-faults.ts';

describe('failures in a row', () => {
  it('are logged at growing intervals, and once when they are over', () => {
    const lines: unknown[] = [];
    const count = vi.fn();
    const log = (level: string) => (fields: object, text: string) =>
      void lines.push([level, text, ...Object.values(fields)]);
    const faults = new RepeatedFaults({ warn: log('warn'), info: log('info') } as never, count);
    const away = new LhsError('source_unreachable', 'away');
    faults.succeeded('sync', { index: 'a' });
    for (let i = 0; i < 20; i++) faults.failed('sync', away, { index: 'a' });
    faults.failed('sync', away, { index: 'b' });
    faults.succeeded('sync', { index: 'a' });
    expect(faults.failureOf('sync', 'a')).toBeUndefined();
    const shown = { code: 'source_unreachable', message: 'sync: away' };
    expect(faults.failureOf('sync', 'b')).toMatchObject(shown);
    faults.failed('sync', away, { index: 'a' });
    expect(
      count.mock.calls.filter(([work, index]) => work === 'sync' && index === 'a'),
    ).toHaveLength(21);
    expect(lines).toEqual([
      ['warn', 'sync failed', away, 'a'],
      ...[2, 4, 8, 16].map((failures) => ['warn', 'sync failed', away, 'a', failures]),
      ['warn', 'sync failed', away, 'b'],
      ['info', 'sync works again', 'a', 20],
      ['warn', 'sync failed', away, 'a'],
    ]);
  });
});
