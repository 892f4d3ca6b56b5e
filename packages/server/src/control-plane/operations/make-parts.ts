import type { IndexNodes } from './index-nodes.ts';
import { hasUnknownEnd, undo } from './undo.ts';

/**
 * Makes the parts of a new index on their nodes, all at once; then `adopt` makes them an index of
 * the cluster. After a failure, nodes drop their parts, also nodes whose answers were lost.
 */
export async function makeParts<P extends { readonly address: string }, T, R>(
  nodes: Pick<IndexNodes, 'indexNames' | 'service'>,
  name: string,
  parts: readonly P[],
  make: (part: P) => Promise<T>,
  adopt: (made: readonly T[]) => Promise<R>,
): Promise<R> {
  const done = new Set<P>();
  const unknown = new Set<P>();
  try {
    const made = await allOf(parts, async (part) => {
      unknown.add(part);
      try {
        const answer = await make(part);
        done.add(part);
        return answer;
      } catch (error) {
        if (!hasUnknownEnd(error)) unknown.delete(part);
        throw error;
      }
    });
    return await adopt(made);
  } catch (error) {
    // a part whose answer was lost may be of another call, to which the name belongs by now
    const isTaken = (await nodes.indexNames().catch(() => [name])).includes(name);
    const own = [...unknown].filter((part) => !isTaken || done.has(part));
    await Promise.all(
      own.map(({ address }) => undo(() => nodes.service(address).dropIndex({ index: name }))),
    );
    throw error;
  }
}

/** Runs work on all items; throws the first error after all have ended. */
export async function allOf<I, T>(
  items: readonly I[],
  work: (item: I) => Promise<T>,
): Promise<readonly T[]> {
  const results = await Promise.allSettled(items.map(work));
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
