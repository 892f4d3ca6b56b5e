/** Releases one part of a process. */
export type Release = () => unknown;

/**
 * Starts a process from the bottom up. Its parts are released in the reverse order, once, by `stop`
 * or when the start fails.
 */
export async function startReleasing<T>(
  start: (later: (release: Release) => void) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const releases: Release[] = [];
  const stop = once(async () => {
    for (const release of releases.toReversed()) await release();
  });
  try {
    const started = await start((release) => releases.push(release));
    return { ...started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= work());
}
