import type { ErrorCode } from '@lakehouse-search/contract';
import { type BackendApi, OPERATIONS, type Operation } from '@lakehouse-search/contract/internal';
import type { CallRecord, Observer } from '../observe/observer.ts';
import type { RepeatedFaults } from '../observe/repeated-faults.ts';
import type { ActivityLog } from '../store/activity.ts';

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
type Names = Pick<BackendApi, 'listIndexes' | 'listAliases'>;

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
      if (operation === undefined || OPERATIONS[operation].activity === undefined) return;
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
  if (index === '' && OPERATIONS[operation].activity !== 'only') return null;
  const [indexes, aliases] = await Promise.all([names.listIndexes(), names.listAliases()]);
  const known = indexes.map(({ name }) => name);
  if (index === '') return known.length === 1 ? known[0] : null;
  if (known.includes(index)) return index;
  return aliases.find(({ alias }) => alias === index)?.index ?? index;
}
