import type { CallContext } from '@lakehouse-search/contract';
import type { KnownIndex } from '../../open/open-index.ts';
import { liveGeneration, openSession } from '../../sync/follow/open-session.ts';
import { closeWriter, type OpenWriter } from '../cache/kept-writers.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { settleAtHome } from './publish.ts';
import { isCuttingOver, lockedGeneration, lockForWriting, unlock } from './write-index.ts';

/**
 * Runs `work` with the writer of an index: the one that was kept, or a new one. If the engine keeps
 * writers and `work` succeeds, it is kept again; else it is closed once its merges have ended.
 * Throws as `lockForWriting`.
 */
export async function withBatchWriter<T>(
  indexes: LocalIndexes,
  known: KnownIndex,
  { signal }: CallContext,
  work: (writer: OpenWriter) => Promise<T>,
): Promise<T> {
  const writer = takeKept(indexes, known) ?? (await openWriter(indexes, known, signal));
  let isDone = false;
  try {
    const answer = await work(writer);
    if (indexes.writers.enabled) await writer.session.takeMerges();
    else await writer.session.settleMerges(signal);
    isDone = true;
    return answer;
  } catch (error) {
    throw indexes.explained(known.registered, error);
  } finally {
    if (isDone && indexes.writers.enabled) keep(indexes, known, writer);
    else await closeWriter(writer);
  }
}

/** The writer that was kept; undefined: none was, another writer works, or waits for its turn. */
function takeKept(indexes: LocalIndexes, { registered }: KnownIndex): OpenWriter | undefined {
  const { writers, writing } = indexes;
  const { uuid, version } = registered;
  if (!writers.has(uuid) || writing.has(uuid) || isCuttingOver(indexes, registered)) return;
  const writer = writers.take(uuid, version);
  if (writer !== undefined) writing.add(uuid);
  return writer;
}

async function openWriter(
  indexes: LocalIndexes,
  known: KnownIndex,
  signal: AbortSignal | undefined,
): Promise<OpenWriter> {
  const lock = await lockForWriting(indexes, known.registered, { what: 'write', signal });
  const letGo = () => unlock(indexes, known.registered, lock);
  try {
    await settleAtHome(indexes, known.registered, lock.home, {});
    const locked = lockedGeneration(indexes, known, lock);
    return { locked, session: openSession(locked, liveGeneration(locked)), unlock: letGo };
  } catch (error) {
    letGo();
    throw indexes.explained(known.registered, error);
  }
}

function keep({ writers, writing }: LocalIndexes, known: KnownIndex, writer: OpenWriter): void {
  const { uuid } = known.registered;
  writing.delete(uuid);
  writers.keep(uuid, writer);
}
