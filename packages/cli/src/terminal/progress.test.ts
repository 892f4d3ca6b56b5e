import { describe, expect, it } from 'vitest';
import { progressReport } from './progress.ts';
import { processTerminal } from './terminal.ts';

describe('the progress of a command', () => {
  it('reports no progress after the end: an error is the last line', () => {
    const lines: string[] = [];
    const err = (...more: readonly string[]) => void lines.push(...more);
    const report = progressReport({ ...processTerminal({}, []), err }, 'ns.t', true, 'table');
    const writing = { phase: 'writing', share: 0.5, rows: 10 } as const;
    report.update(writing);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { table: 'ns.t', phase: 'writing', rows_done: 5, rows_total: 10, share: 0.5 },
    ]);
    const late = progressReport({ ...processTerminal({}, []), err }, 'ns.t', true, 'table');
    late.stop();
    late.update(writing);
    expect(lines).toHaveLength(1);
  });
});
