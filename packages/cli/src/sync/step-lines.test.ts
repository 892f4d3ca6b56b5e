import { describe, expect, test } from 'vitest';
import { skippedLines, vectorLines } from './step-lines.ts';

describe('the lines about vectors of a sync', () => {
  test('show embedded and reused vectors, and rows without one', () => {
    const embeddings = { computed: 423_391, reused: 20_299 };
    expect(vectorLines({ embeddings, without_vector: { meaning: 1, own: 2000 } })).toEqual([
      'embeddings  423,391 computed, 20,299 reused',
      '1 row without a vector in meaning',
      '2,000 rows without a vector in own',
    ]);
    expect(vectorLines({})).toEqual([]);
  });
});

describe('the lines about skipped rows', () => {
  const row = (position: number) => {
    return { key: `id=${position}`, file: 'a.parquet', position, reason: 'column "ip" is bad' };
  };

  test('show how many there are and the first three', () => {
    const first_skipped_rows = [1, 2, 3, 4].map(row);
    expect(skippedLines({ skipped_rows: 30, first_skipped_rows })).toEqual([
      '30 rows without a document, because a value cannot be indexed',
      '  id=1: column "ip" is bad (row 1 of a.parquet)',
      '  id=2: column "ip" is bad (row 2 of a.parquet)',
      '  id=3: column "ip" is bad (row 3 of a.parquet)',
      '  … 27 more',
    ]);
    expect(skippedLines({})).toEqual([]);
  });

  test('name a row without a key by its place alone', () => {
    const [{ key: _, ...nameless }] = [row(7)];
    expect(skippedLines({ skipped_rows: 1, first_skipped_rows: [nameless] })).toEqual([
      '1 row without a document, because a value cannot be indexed',
      '  column "ip" is bad (row 7 of a.parquet)',
    ]);
  });
});
