import { textOfJson } from '@lakehouse-search/contract';
import type { RepeatedRequest } from './recall.ts';

/**
 * The JSON text of answers that came from the cache of answers: most of it was written when the
 * answer was put there. A copy of an answer is another answer, without a text.
 */
export interface CachedParts {
  /** The members that stay: the same object in all answers to one request at one commit. */
  readonly members: object;
  /** JSON of the members that stay. */
  readonly text: string;
  /** The other members. */
  readonly others: object;
  /** The request that it answers. */
  readonly repeated: RepeatedRequest;
}

const written = new WeakMap<object, CachedParts>();

/** An answer of parts, none of which is empty. */
export function answerOfParts(parts: CachedParts): object {
  const answer = { ...parts.members, ...parts.others };
  written.set(answer, parts);
  return answer;
}

/** The parts of an answer that came from the cache; undefined: it did not. */
export const answerParts = (answer: object): CachedParts | undefined => written.get(answer);

/** The JSON text of an answer. Members of a cached one may come in another order. */
export function answerText(answer: unknown): string {
  const parts = typeof answer === 'object' && answer !== null ? written.get(answer) : undefined;
  return parts === undefined ? textOfJson(answer) : textOfParts(parts);
}

/** The JSON text of an answer that consists of parts. */
export const textOfParts = ({ text, others }: CachedParts): string =>
  `${text.slice(0, -1)},${JSON.stringify(others).slice(1)}`;
