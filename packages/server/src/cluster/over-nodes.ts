import { LhsError } from '@lakehouse-search/contract';
import { type AnswerOf, type MergedName, mergeAnswers, type NodeAnswer } from './merge-answers.ts';

/** A node of an index, and an operation there. */
export interface PartCall<T> {
  /** The shards that the node holds. */
  readonly ordinals: readonly number[];
  readonly run: () => Promise<T>;
}

/** Operations on a window: a node whose shards have no document of it does not know it. */
const OF_WINDOWS: ReadonlySet<string> = new Set(['windowStatus', 'reindexWindow', 'moveWindows']);

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
  const counts = OF_WINDOWS.has(name) && answers.length > 0 ? failed.filter(isFault) : failed;
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

const isFault = ({ reason }: PromiseRejectedResult): boolean =>
  !(reason instanceof LhsError) || reason.code !== 'not_found';
