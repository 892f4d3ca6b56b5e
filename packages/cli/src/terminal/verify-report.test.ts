import type { VerifyResponse } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { styleFor } from './style.ts';
import { verifyReport } from './verify-report.ts';

const EQUAL: VerifyResponse = {
  equal: true,
  snapshot: '5131000000006620',
  index_generation: 1,
  rows_compared: 446_015,
  doc_count: 446_015,
  missing: 0,
  extra: 0,
  stale: 0,
  keys: { missing: [], extra: [], stale: [] },
  digest: { index: 'aa', table: 'aa' },
  buckets: 1024,
  buckets_drifted: 0,
  faults: [],
  took_ms: 1400,
};
const key = (id: number) => ({ identifier: [{ name: 'id', value: String(id) }] });
const report = (found: Partial<VerifyResponse>, sync?: string, width = 100) =>
  verifyReport(
    { ...EQUAL, ...found },
    { index: 'incidents', sync, width, style: styleFor({ color: false }) },
  ).join('\n');

describe('the report of index verify', () => {
  it('is one line if the index equals its table', () => {
    expect(report({})).toBe(
      '446,015 rows compared with snapshot 5131…6620 in 1.4 s: the index equals the table',
    );
    expect(report({ rows_compared: 1, snapshot: null })).toContain(
      '1 row compared with the empty table',
    );
    expect(report({ sampled: true, rows_compared: 98 })).toBe(
      'a sample of 98 rows compared with snapshot 5131…6620 in 1.4 s: nothing differs in it',
    );
  });

  it('lists differences by kind, with the first keys and the next command', () => {
    const found = {
      equal: false,
      missing: 5,
      stale: 1,
      keys: { missing: [1, 2, 3, 4, 5].map(key), extra: [], stale: [key(9)] },
    };
    expect(report(found)).toMatchInlineSnapshot(`
    "446,015 rows compared with snapshot 5131…6620 in 1.4 s: the index differs from the table
    missing  5 rows without a document
             id=1
             id=2
             id=3
             … 2 more
    stale    1 document unlike the row of its key
             id=9
    next: lhs index verify incidents --repair"
  `);
    expect(report(found, 'lhs index sync incidents')).toMatch(/next: lhs index sync incidents$/);
    expect(report({ ...found, sampled: true })).toMatch(/next: lhs index verify incidents$/);
    expect(report({ equal: false, faults: ['segment s000001, core: rank of 5'] })).toMatch(
      /fault {4}segment s000001, core: rank of 5\nnext: lhs index reindex incidents$/,
    );
    const faults = ['"/home/x" is lost or damaged: a repair sends it again'];
    expect(report({ equal: false, faults })).toMatch(/next: lhs index verify incidents --repair$/);
    const narrow = report(found, undefined, 60).split('\n');
    expect(narrow.slice(0, -1).filter((line) => line.length > 60)).toEqual([]);
  });

  it('says what was repaired', () => {
    const repaired = { added: 7, replaced: 1, deleted: 0 };
    expect(report({ repaired })).toMatch(
      /^repaired: 7 added, 1 replaced, 0 deleted; verified again:\n/,
    );
    expect(report({ repaired: { added: 0, replaced: 0, deleted: 0 } })).toBe(report({}));
  });
});
