/**
 * The results of `run` over all items, in their order, `atOnce` running at a time. The first error
 * is thrown once all that had begun has ended; nothing new begins after it.
 */
export async function eachOf<T, R>(
  items: readonly T[],
  atOnce: number,
  run: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await run(items[index]);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(atOnce, items.length) }, worker);
  for (const settled of await Promise.allSettled(workers)) {
    if (settled.status === 'rejected') throw settled.reason;
  }
  return results;
}
