import type { Placement } from '../../store/placements.ts';

/**
 * Gives indexes that have no node, or whose node has left for good, to the node with the fewest
 * indexes, the first one by name among equals. The others stay. Returns the changes; none if there
 * are no living nodes.
 */
export function assignIndexes(
  indexes: readonly string[],
  living: readonly string[],
  placements: readonly Placement[],
  hasLeft: (placement: Placement) => boolean = ({ node }) => !living.includes(node),
): readonly Placement[] {
  const placed = placements.filter((placement) => !hasLeft(placement));
  const load = new Map([...living].sort().map((node) => [node, 0]));
  const add = (node: string) => load.has(node) && load.set(node, load.get(node)! + 1);
  for (const { node } of placed) add(node);
  if (load.size === 0) return [];
  const staying = new Set(placed.map(({ index }) => index));
  return indexes
    .filter((index) => !staying.has(index))
    .map((index) => {
      const [node] = [...load].reduce((least, each) => (each[1] < least[1] ? each : least))!;
      add(node);
      return { index, node };
    });
}
