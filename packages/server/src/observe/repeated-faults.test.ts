import { describe, expect, it } from 'vitest';
import { RepeatedFaults } from './repeated-faults.ts';

describe('failures in a row', () => {
  it('are logged at growing intervals, and once when they are over', () => {
    const lines: unknown[] = [];
    const log = (level: string) => (fields: object, text: string) =>
      void lines.push([level, text, ...Object.values(fields)]);
    const faults = new RepeatedFaults({ warn: log('warn'), info: log('info') } as never);
    const away = new Error('away');
    faults.succeeded('cannot sync', { index: 'a' });
    for (let i = 0; i < 20; i++) faults.failed('cannot sync', away, { index: 'a' });
    faults.failed('cannot sync', away, { index: 'b' });
    faults.succeeded('cannot sync', { index: 'a' });
    faults.failed('cannot sync', away, { index: 'a' });
    expect(lines).toEqual([
      ['warn', 'cannot sync', away, 'a'],
      ...[2, 4, 8, 16].map((failures) => ['warn', 'cannot sync', away, 'a', failures]),
      ['warn', 'cannot sync', away, 'b'],
      ['info', 'cannot sync: it works again', 'a', 20],
      ['warn', 'cannot sync', away, 'a'],
    ]);
  });
});
