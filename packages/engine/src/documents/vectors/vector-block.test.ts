import { describe, expect, it } from 'vitest';
import { addVectorCounts } from './vector-block.ts';

describe('counts of rows without a vector', () => {
  it('are added by field, whatever the field is called', () => {
    const once = { without_vector: { constructor: 1, meaning: 2 } };
    expect(addVectorCounts({}, once)).toEqual(once);
    expect(addVectorCounts(once, once)).toEqual({ without_vector: { constructor: 2, meaning: 4 } });
  });
});
