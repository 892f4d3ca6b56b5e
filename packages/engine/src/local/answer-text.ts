/**
 * The JSON text of answers that came from the cache of answers: most of it was written when the
 * answer was put there. A copy of an answer is another answer, without a text.
 */
interface Parts {
  /** JSON of the members that stay. */
  readonly text: string;
  /** The other members. */
  readonly others: object;
}

const written = new WeakMap<object, Parts>();

/** An answer of members, whose JSON is `text`, and of others. Neither is empty. */
export function answerOfParts(members: object, text: string, others: object): object {
  const answer = { ...members, ...others };
  written.set(answer, { text, others });
  return answer;
}

/** The JSON text of an answer. Members of a cached one may come in another order. */
export function answerText(answer: unknown): string {
  const parts = typeof answer === 'object' && answer !== null ? written.get(answer) : undefined;
  if (parts === undefined) return JSON.stringify(answer);
  return `${parts.text.slice(0, -1)},${JSON.stringify(parts.others).slice(1)}`;
}
