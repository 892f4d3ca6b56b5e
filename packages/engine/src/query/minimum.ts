/**
 * `minimum_should_match` as a text: how many of some optional parts must match.
 *
 * - `3`: three. `-1`: all but one. `75%`: that share, rounded down. `-25%`: all but that share,
 *   rounded down.
 * - `2<75%`: of up to two parts all, of more 75 %. Several conditions are separated by spaces, by
 *   rising numbers: `2<-25% 9<-3`.
 */

/** Numbers of up to four digits, percentages, and conditions of both. */
export const MINIMUM_PATTERN = /^(?:-?\d{1,4}%?|\d{1,4}<-?\d{1,4}%?(?: \d{1,4}<-?\d{1,4}%?)*)$/;

/** How many of `count` parts a text that MINIMUM_PATTERN accepts requires: 0 or more. */
export function requiredOf(text: string, count: number): number {
  if (!text.includes('<')) return Math.max(0, plainRequired(text, count));
  let required = count;
  for (const condition of text.split(' ')) {
    const [above, rule] = condition.split('<');
    if (count <= Number(above)) break;
    required = Math.max(0, plainRequired(rule, count));
  }
  return required;
}

function plainRequired(rule: string, count: number): number {
  const share = rule.endsWith('%');
  const number = Number(share ? rule.slice(0, -1) : rule);
  const parts = share ? Math.trunc((count * number) / 100) : number;
  return number < 0 ? count + parts : parts;
}
