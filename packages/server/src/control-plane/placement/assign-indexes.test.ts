import { describe, expect, it } from 'vitest';
import { assignIndexes } from './assign-indexes.ts';

const INDEXES = ['a', 'b', 'c', 'd'];
const shown = (placements: ReturnType<typeof assignIndexes>) =>
  placements.map(({ index, node }) => `${index} ${node}`);

describe('the placement of indexes', () => {
  it('spreads them evenly, in the same way whatever the order of the nodes', () => {
    const placed = assignIndexes(INDEXES, ['n3', 'n1', 'n2'], []);
    expect(shown(placed)).toEqual(['a n1', 'b n2', 'c n3', 'd n1']);
    expect(assignIndexes(INDEXES, ['n1', 'n2', 'n3'], [])).toEqual(placed);
  });

  it('leaves indexes where they are, also when a node joins', () => {
    const placed = assignIndexes(INDEXES, ['n1', 'n2'], []);
    expect(assignIndexes(INDEXES, ['n1', 'n2', 'n3'], placed)).toEqual([]);
  });

  it('moves only the indexes of a node that has left, to the nodes with the fewest', () => {
    const placed = assignIndexes(INDEXES, ['n1', 'n2', 'n3'], []);
    expect(shown(assignIndexes(INDEXES, ['n1', 'n3', 'n4'], placed))).toEqual(['b n4']);
  });

  it('waits for a node that may come back', () => {
    const placed = assignIndexes(INDEXES, ['n1', 'n2'], []);
    expect(assignIndexes(INDEXES, ['n1'], placed, () => false)).toEqual([]);
  });

  it('does nothing without nodes', () => expect(assignIndexes(INDEXES, [], [])).toEqual([]));
});
