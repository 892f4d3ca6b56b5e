import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { type AnswerOf, type MergedName, mergeAnswers, type NodeAnswer } from './merge-answers.ts';

/** A node of an index, and an operation there. */
export interface PartCall<T> {
  /** The shards that the node holds. */
  readonly ordinals: readonly number[];
  readonly run: () => Promise<T>;
}

/** Operations on a window: a node whose shards have no document of it does not know it. */
const OF_WINDOWS: ReadonlySet<string> = new Set(['windowStatus', 'reindexWindow', 'moveWindows']);

/** True for an operation whose answers of some nodes hold without the others. */
export const isOfAnswering = (name: string): boolean => OF_ANSWERING.has(name);
const OF_ANSWERING: ReadonlySet<string> = new Set(['status', 'describeIndex']);
const AWAY: ReadonlySet<ErrorCode> = new Set(['unreachable', 'deadline_exceeded']);

/**
 * Runs an operation on all nodes of an index and merges what they answer. Throws the first error
 * after all have ended.
 */
export async function overNodes<K extends MergedName>(
  name: K,
  parts: readonly PartCall<AnswerOf<K>>[],
): Promise<AnswerOf<K>> {
  const results = await Promise.allSettled(parts.map(({ run }) => run()));
  const answers = answersOf(parts, results);
  const failed = results.filter((result) => result.status === 'rejected');
  const counts = answers.length === 0 ? failed : failed.filter((one) => isFault(name, one));
  if (counts.length > 0) throw counts[0].reason;
  return mergeAnswers(name, answers);
}

/** The same of the nodes that answer, as a list of one answer; none: no node answers. */
export async function overAnswering<K extends MergedName>(
  name: K,
  parts: readonly PartCall<AnswerOf<K>>[],
): Promise<readonly AnswerOf<K>[]> {
  const results = await Promise.allSettled(parts.map(({ run }) => run()));
  const answers = answersOf(parts, results);
  return answers.length === 0 ? [] : [mergeAnswers(name, answers)];
}

const answersOf = <T>(
  parts: readonly PartCall<T>[],
  results: readonly PromiseSettledResult<T>[],
): readonly NodeAnswer<T>[] =>
  results.flatMap((result, i): NodeAnswer<T>[] =>
    result.status === 'fulfilled' ? [{ answer: result.value, ordinals: parts[i].ordinals }] : [],
  );

/** False for an error that leaves the answers of the other nodes as they are. */
function isFault(name: string, { reason }: PromiseRejectedResult): boolean {
  if (!(reason instanceof LhsError)) return true;
  if (OF_WINDOWS.has(name)) return reason.code !== 'not_found';
  return !(isOfAnswering(name) && AWAY.has(reason.code));
}
