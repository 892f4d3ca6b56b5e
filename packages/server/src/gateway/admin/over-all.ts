/** Changes of an index over a fixed list of nodes: all of its nodes make them, or none. */
import { LhsError } from '@lakehouse-search/contract';
import { hasUnknownEnd, undo } from '../../control-plane/operations/undo.ts';

/** A node with some shards of an index. */
export interface ChangingNode {
  readonly address: string;
  readonly ordinals: readonly number[];
}

/** A change of one node, and what takes it back. */
export interface NodeChange<T extends ChangingNode, R> {
  readonly make: (node: T) => Promise<R>;
  readonly takeBack: (node: T) => Promise<unknown>;
  /** Nodes with this error have not made the change: others may have what they refuse. */
  readonly isOfOthers?: (error: unknown) => boolean;
}

interface Failed<T> {
  readonly node: T;
  readonly error: unknown;
}

/**
 * Makes a change on all nodes at once. If one fails, all take it back, also those whose answers
 * were lost. Throws the first error, with the name of its node.
 */
export async function changeAll<T extends ChangingNode, R>(
  nodes: readonly T[],
  change: NodeChange<T, R>,
): Promise<readonly R[]> {
  const results = await Promise.allSettled(nodes.map(async (node) => change.make(node)));
  const failed = nodes.flatMap((node, i): Failed<T>[] => {
    const result = results[i];
    return result.status === 'rejected' ? [{ node, error: result.reason }] : [];
  });
  if (failed.length > 0) return takeBackAll(nodes, failed, change);
  return results.map((result) => (result as PromiseFulfilledResult<R>).value);
}

/** The same, one node after the other: nodes behind the first that fails make no change. */
export async function changeInTurn<T extends ChangingNode, R>(
  nodes: readonly T[],
  change: NodeChange<T, R>,
): Promise<readonly R[]> {
  const answers: R[] = [];
  for (const [i, node] of nodes.entries()) {
    try {
      answers.push(await change.make(node));
    } catch (error) {
      return takeBackAll(nodes.slice(0, i + 1), [{ node, error }], change);
    }
  }
  return answers;
}

async function takeBackAll<T extends ChangingNode>(
  nodes: readonly T[],
  failed: readonly Failed<T>[],
  { takeBack, isOfOthers = () => false }: NodeChange<T, unknown>,
): Promise<never> {
  const isTaken = failed.some(({ error }) => isOfOthers(error));
  const changed = nodes.filter((node) => {
    const own = failed.find((one) => one.node === node);
    return own === undefined || (!isTaken && hasUnknownEnd(own.error));
  });
  const left = await Promise.all(changed.map((node) => undo(() => takeBack(node))));
  const kept = changed.filter((_, i) => left[i] !== undefined);
  const isOfAll = failed.length === nodes.length && kept.length === 0;
  throw isOfAll ? failed[0].error : named(failed[0], kept);
}

/** The error of a node, with its name and those of nodes that have not taken the change back. */
function named({ node, error }: Failed<ChangingNode>, kept: readonly ChangingNode[]): unknown {
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
