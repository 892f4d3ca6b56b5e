import type { Backend, ErrorCode, Operation } from '@lakehouse-search/contract';
import type { CallRecord, Observer } from '../observe/observer.ts';
import type { RepeatedFaults } from '../observe/repeated-faults.ts';
import type { ActivityLog } from '../store/activity.ts';

/** Operations that are part of the life of an index. */
const LIFE: ReadonlySet<Operation> = new Set([
  'createIndex',
  'alterIndex',
  'rollbackIndex',
  'applyReshard',
  'moveBucket',
  'dropIndex',
  'renameIndex',
  'reindex',
  'startJob',
  'cancelJob',
  'compact',
  'upgrade',
  'backup',
  'restore',
  'setAlias',
  'dropAlias',
]);
/** Of these, a request without an index means the only one. */
const OF_ONLY: ReadonlySet<Operation> = new Set([
  'alterIndex',
  'rollbackIndex',
  'applyReshard',
  'moveBucket',
  'reindex',
  'startJob',
  'compact',
  'upgrade',
  'backup',
]);

/**
 * Calls that were refused before they began, which no limit counts. The audit log has them. Here
 * anybody could fill the log of the indexes with them.
 */
const REFUSED: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'permission_denied',
  'overloaded',
]);

const ACTIVITY = 'record of activity';

/** Indexes and aliases, by which a request may name an index. */
type Names = Pick<Backend, 'listIndexes' | 'listAliases'>;

/**
 * Records the calls that change indexes, under the names of the indexes. `faults`: notes errors of
 * the store and of `names`.
 */
export function activityRecorder(
  log: Pick<ActivityLog, 'add'>,
  names: Names,
  faults: Pick<RepeatedFaults, 'failed' | 'succeeded'>,
): Observer {
  let last = Promise.resolve();
  return {
    ended({ operation, index = '', subject = '', code, request_id }: CallRecord) {
      if (operation === undefined || !LIFE.has(operation)) return;
      if (code !== undefined && REFUSED.has(code)) return;
      const outcome = code ?? 'ok';
      const entry = { atMs: Date.now(), operation, subject, outcome, details: { request_id } };
      // looked up at once: the next call may drop the alias that this one named
      const name = nameOf(names, operation, index);
      const add = async () => log.add({ ...entry, index: await name });
      last = Promise.allSettled([last, name])
        .then(add)
        .then(
          () => faults.succeeded(ACTIVITY),
          (error: unknown) => faults.failed(ACTIVITY, error),
        );
    },
  };
}

/** The name of the index that a request named; null: none. A name that is unknown remains. */
async function nameOf(names: Names, operation: Operation, index: string): Promise<string | null> {
  if (index === '' && !OF_ONLY.has(operation)) return null;
  const [indexes, aliases] = await Promise.all([names.listIndexes(), names.listAliases()]);
  const known = indexes.map(({ name }) => name);
  if (index === '') return known.length === 1 ? known[0] : null;
  if (known.includes(index)) return index;
  return aliases.find(({ alias }) => alias === index)?.index ?? index;
}
