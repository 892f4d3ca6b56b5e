import type { ExplainDetail, ExplainResponse } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { styleFor } from '../../terminal/style.ts';
import { width } from '../../terminal/text.ts';
import { explainLines } from './explain-lines.ts';

const leaf = (clause: string, score: number, made: string): ExplainDetail => ({
  description: `${clause}: ${made}`,
  score,
  details: [],
  clause,
});
const EMPTY: ExplainResponse = {
  found: true,
  matched: false,
  analyzed: [],
  timings: { index_ms: 1, hydration_ms: 0, total_ms: 1 },
  shards_scanned: 1,
  shards_total: 1,
  snapshot: '1',
  index_generation: 1,
  lag_snapshots: 0,
};
const lines = (answer: Partial<ExplainResponse>, columns: number) =>
  explainLines({ ...EMPTY, ...answer }, 'id=7', styleFor({ color: false }), columns);

const inner: ExplainDetail = {
  ...leaf('(東京 OR été)', 1.5, 'sum of 2 parts'),
  details: [leaf('東京', 1.45, 'constant 1.45'), leaf('été', 0.05, 'constant 0.05')],
};
const TREE: Partial<ExplainResponse> = {
  matched: true,
  score: 13.9,
  rank: 1,
  total: 1042,
  detail: {
    ...leaf('timeout (東京 OR été)', 13.9, 'sum of 2 parts'),
    details: [leaf('timeout', 12.4, 'idf 5.31 (df 311 of 446,015) × tf 0.92 (1 time)'), inner],
  },
};

describe('the lines of index explain', () => {
  it('draw the tree with aligned scores, a column of clauses and wrapped figures', () => {
    expect(lines(TREE, 60)).toEqual([
      '13.90  matched, rank 1 of 1,042',
      ' 12.40  timeout         idf 5.31 (df 311 of 446,015) × tf',
      '                        0.92 (1 time)',
      '  1.50  (東京 OR été)   sum of 2 parts',
      '   1.45  東京           constant 1.45',
      '   0.05  été            constant 0.05',
    ]);
  });

  it('fit any width of 40 or more and print no control character', () => {
    const why: Partial<ExplainResponse> = {
      why_not: {
        reason: 'none_of',
        message: 'none of the 2 alternatives of a OR b matches',
        others: [
          {
            reason: 'clause',
            message: 'title:a needs "a": title does not have it',
            field: 'title',
            tokens: ['\u001b[31mred', ...'the connection was reset by its peer'.split(' ')],
            tokens_total: 1200,
            would_match: 'title:connection',
            change: 'with what the document has there,',
          },
          { reason: 'clause', message: 'b needs "b": no document has it', nearest_term: 'bb' },
        ],
      },
    };
    for (const columns of [40, 60, 80, 200]) {
      for (const line of [...lines(TREE, columns), ...lines(why, columns)]) {
        expect(width(line), line).toBeLessThanOrEqual(columns);
        expect(line).not.toContain('\u001b');
      }
    }
    expect(lines(why, 200)).toEqual([
      'not matched: none of the 2 alternatives of a OR b matches',
      '  · title:a needs "a": title does not have it',
      expect.stringMatching(/^ {4}title of id=7 reads: �\[31mred · the .* peer … \(of 1,200\)$/),
      '    with what the document has there, it would match: title:connection',
      '  · b needs "b": no document has it',
      '    the nearest word in the index: bb',
    ]);
  });

  it('say where a row is missing', () => {
    const missing: Partial<ExplainResponse> = {
      found: false,
      why_not: { reason: 'absent', message: 'id=7 is in neither the index nor the table' },
    };
    expect(lines(missing, 80)).toEqual(['not found: id=7 is in neither the index nor the table']);
  });
});
