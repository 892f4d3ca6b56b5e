import { LhsError } from '@lakehouse-search/contract';
import { mergeAnswers, type NodeAnswer } from './merge-answers.ts';

/** A node of an index, and an operation there. */
export interface PartCall {
  /** The shards that the node holds. */
  readonly ordinals: readonly number[];
  readonly run: () => Promise<unknown>;
}

/** Operations on a window: a node whose shards have no document of it does not know it. */
const OF_WINDOWS: ReadonlySet<string> = new Set(['windowStatus', 'reindexWindow', 'moveWindows']);

/**
 * Runs an operation on all nodes of an index and merges what they answer. Throws the first error
 * after all have ended.
 */
export async function overNodes(name: string, parts: readonly PartCall[]): Promise<unknown> {
  const results = await Promise.allSettled(parts.map(({ run }) => run()));
  const answers = answersOf(parts, results);
  const failed = results.filter((result) => result.status === 'rejected');
  const counts = OF_WINDOWS.has(name) && answers.length > 0 ? failed.filter(isFault) : failed;
  if (counts.length > 0) throw counts[0].reason;
  return mergeAnswers(answers);
}

/** The same of the nodes that answer, as a list of one answer; none: no node answers. */
export async function overAnswering(parts: readonly PartCall[]): Promise<readonly unknown[]> {
  const results = await Promise.allSettled(parts.map(({ run }) => run()));
  const answers = answersOf(parts, results);
  return answers.length === 0 ? [] : [mergeAnswers(answers)];
}

const answersOf = (
  parts: readonly PartCall[],
  results: readonly PromiseSettledResult<unknown>[],
): readonly NodeAnswer[] =>
  results.flatMap((result, i): NodeAnswer[] =>
    result.status === 'fulfilled'
      ? [{ answer: result.value as NodeAnswer['answer'], ordinals: parts[i].ordinals }]
      : [],
  );

const isFault = ({ reason }: PromiseRejectedResult): boolean =>
  !(reason instanceof LhsError) || reason.code !== 'not_found';
