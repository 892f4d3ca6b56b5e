import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { OPERATIONS, type ResponseOf } from '@lakehouse-search/contract/internal';
import { type MergedName, mergeAnswers } from './merge-answers.ts';

/** A node of an index, and an operation there. */
export interface PartCall<T> {
  /** The shards that the node holds. */
  readonly ordinals: readonly number[];
  readonly run: () => Promise<T>;
}

const AWAY: ReadonlySet<ErrorCode> = new Set(['unreachable', 'deadline_exceeded']);

/**
 * Runs an operation on all nodes of an index and merges what they answer. Throws the first error
 * after all have ended.
 */
export async function overNodes<K extends MergedName>(
  name: K,
  parts: readonly PartCall<ResponseOf<K>>[],
): Promise<ResponseOf<K>> {
  const results = await Promise.allSettled(parts.map(({ run }) => run()));
  const answers = results.flatMap((one, i) =>
    one.status === 'fulfilled' ? [{ answer: one.value, ordinals: parts[i].ordinals }] : [],
  );
  const failed = results.filter((result) => result.status === 'rejected');
  const counts = answers.length === 0 ? failed : failed.filter((one) => isFault(name, one));
  if (counts.length > 0) throw counts[0].reason;
  return mergeAnswers(name, answers);
}

/** False for an error that leaves the answers of the other nodes as they are. */
function isFault(name: MergedName, { reason }: PromiseRejectedResult): boolean {
  if (!(reason instanceof LhsError)) return true;
  const { nodes } = OPERATIONS[name];
  if (nodes === 'having') return reason.code !== 'not_found';
  return !(nodes === 'answering' && AWAY.has(reason.code));
}
