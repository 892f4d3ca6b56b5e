import { describe, expect, test } from 'vitest';
import { vectorLines } from './step-lines.ts';

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
