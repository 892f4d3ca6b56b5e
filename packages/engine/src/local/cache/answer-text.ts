import { writingJson } from '@lakehouse-search/contract/internal';
import { inTurns } from '../../base/turns.ts';
import type { RepeatedRequest } from './recall.ts';

/**
 * The JSON text of answers that are put into the cache of answers, or came from it: most of it was
 * written when the answer was put there. A copy of an answer is another answer, without a text.
 */
export interface CachedParts {
  /** The members that stay: the same object in all answers to one request at one commit. */
  readonly members: object;
  /** JSON of the members that stay. */
  readonly text: string;
  /** The other members. */
  readonly others: object;
  /** The request whose answer came from the cache. */
  readonly repeated?: RepeatedRequest;
}

const written = new WeakMap<object, CachedParts>();

/** An answer of parts, none of which is empty. */
export function answerOfParts(parts: CachedParts): object {
  const answer = { ...parts.members, ...parts.others };
  written.set(answer, parts);
  return answer;
}

/** The parts of an answer; undefined: it has none. */
export const answerParts = (answer: object): CachedParts | undefined => written.get(answer);

/**
 * The JSON text of an answer, written in several turns of the event loop. Members of a cached one
 * may come in another order.
 */
export async function answerText(answer: unknown): Promise<string> {
  const parts = typeof answer === 'object' && answer !== null ? written.get(answer) : undefined;
  return parts === undefined ? inTurns(writingJson(answer)) : textOfParts(parts);
}

/** The JSON text of an answer that consists of parts. */
export const textOfParts = ({ text, others }: CachedParts): string =>
  `${text.slice(0, -1)},${JSON.stringify(others).slice(1)}`;
