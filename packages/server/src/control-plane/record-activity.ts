import type { Operation } from '@lakehouse-search/contract';
import type { CallRecord, Observer } from '../observe/observer.ts';
import type { ActivityLog } from '../store/activity.ts';

/** Operations that are part of the life of an index. */
const LIFE: ReadonlySet<Operation> = new Set([
  'createIndex',
  'alterIndex',
  'rollbackIndex',
  'dropIndex',
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

/** Records the calls that change indexes. `failed`: receives errors of the store. */
export function activityRecorder(log: ActivityLog, failed: (error: unknown) => void): Observer {
  return {
    ended({ operation, index, subject = '', code, request_id }: CallRecord) {
      if (operation === undefined || !LIFE.has(operation)) return;
      const outcome = code ?? 'ok';
      const entry = { operation, subject, outcome, details: { request_id } };
      log.add({ ...entry, atMs: Date.now(), index: index ?? null }).catch(failed);
    },
  };
}
