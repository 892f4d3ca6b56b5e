/**
 * The JSON text of answers that came from the cache of answers: most of it was written when the
 * answer was put there. A copy of an answer is another answer, without a text.
 */
interface Parts extends CachedParts {
  /** JSON of the members that stay. */
  readonly text: string;
}

/** What an answer consists of. */
export interface CachedParts {
  /** The members that stay: the same object in all answers to one request at one commit. */
  readonly members: object;
  /** The other members. */
  readonly others: object;
}

const written = new WeakMap<object, Parts>();

/** An answer of members, whose JSON is `text`, and of others. Neither is empty. */
export function answerOfParts(members: object, text: string, others: object): object {
  const answer = { ...members, ...others };
  written.set(answer, { members, text, others });
  return answer;
}

/** The parts of an answer that came from the cache; undefined: it did not. */
export const answerParts = (answer: object): CachedParts | undefined => written.get(answer);

/** The JSON text of an answer. Members of a cached one may come in another order. */
export function answerText(answer: unknown): string {
  const parts = typeof answer === 'object' && answer !== null ? written.get(answer) : undefined;
  if (parts === undefined) return JSON.stringify(answer);
  return `${parts.text.slice(0, -1)},${JSON.stringify(parts.others).slice(1)}`;
}
