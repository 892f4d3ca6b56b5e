import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { closed, incidents } from './incidents.ts';

describe('incident reports of the demo', () => {
  it('are the same on every machine', () => {
    const text = JSON.stringify(incidents(0, 500));
    expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toMatchInlineSnapshot(
      `"10de5742d536a1fb"`,
    );
    expect(JSON.stringify(incidents(100, 10))).toBe(
      JSON.stringify(incidents(0, 500).slice(100, 110)),
    );
  });

  it('fill every slot and vary their texts', () => {
    const reports = incidents(0, 5000);
    expect(reports.filter((r) => /[{}]/.test(r.title + r.narrative))).toEqual([]);
    expect(new Set(reports.map((r) => r.narrative)).size).toBeGreaterThan(4900);
    expect(new Set(reports.map((r) => r.title)).size).toBeGreaterThan(300);
  });

  it('keep their key when they are closed', () => {
    const [report] = incidents(7, 1);
    expect(closed(report)).toMatchObject({ id: 7, resolved: true });
  });
});
