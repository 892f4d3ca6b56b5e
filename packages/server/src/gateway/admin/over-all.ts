/** Changes of an index over a fixed list of nodes: all of its nodes make them, or none. */
import { LhsError } from '@lakehouse-search/contract';
import { hasUnknownEnd, undo } from '../../control-plane/operations/undo.ts';

interface Node {
  readonly address: string;
}

/** A change of one node, and what takes it back. */
export interface NodeChange<T, R> {
  readonly make: (node: T) => Promise<R>;
  readonly takeBack: (node: T) => Promise<unknown>;
}

/**
 * Makes a change on one node after the other. If one fails, those before it take it back, and it
 * does too if its answer was lost. Throws the error, with the name of its node.
 */
export async function changeInTurn<T extends Node, R>(
  nodes: readonly T[],
  { make, takeBack }: NodeChange<T, R>,
): Promise<readonly R[]> {
  const answers: R[] = [];
  for (const [i, node] of nodes.entries()) {
    try {
      answers.push(await make(node));
    } catch (error) {
      const changed = nodes.slice(0, hasUnknownEnd(error) ? i + 1 : i);
      const left = await Promise.all(changed.map((one) => undo(() => takeBack(one))));
      const kept = changed.filter((_, at) => left[at] !== undefined);
      throw i === 0 && kept.length === 0 ? error : named(node, error, kept);
    }
  }
  return answers;
}

/** The error of a node, with its name and those of nodes that have not taken the change back. */
function named(node: Node, error: unknown, kept: readonly Node[]): unknown {
  if (!(error instanceof LhsError)) return error;
  const { code, message, hint, next, details, place } = error;
  const all = kept.map(({ address }) => address);
  const more = all.length === 0 ? '' : `; not taken back by ${all.join(', ')}`;
  return new LhsError(code, `the node at ${node.address}: ${message}${more}`, {
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { place }),
    ...{ next, cause: error },
    details: { ...details, node: node.address, ...(all.length === 0 ? {} : { kept: all }) },
  });
}
