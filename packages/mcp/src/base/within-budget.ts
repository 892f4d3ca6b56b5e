import type { JsonObject } from '@lakehouse-search/contract';
import { tokensOf, tokensOfJson } from './tokens.ts';

/** An answer in both forms: hosts pass either or both to a model. */
interface BothForms {
  readonly structured: JsonObject;
  readonly text: string;
}

/** Tokens of a form that no answer goes below. */
const LEAST_ROOM = 40;
const SMALLER = 0.85;

/**
 * The largest answer whose two forms have at most so many tokens together. `build` makes one whose
 * items have about `room` tokens in a form.
 */
export function withinBudget<Answer extends BothForms>(
  tokens: number,
  build: (room: number) => Answer,
): Answer {
  for (let room = Math.floor(tokens / 2); ; room = Math.floor(room * SMALLER)) {
    const answer = build(room);
    const used = tokensOf(answer.text) + tokensOfJson(answer.structured);
    if (used <= tokens || room < LEAST_ROOM) return answer;
  }
}

/** How many of some items fit into a room, at least one. */
export function fittingCount(items: readonly JsonObject[], room: number): number {
  let left = room;
  const end = items.findIndex((item, i) => {
    left -= tokensOfJson(item);
    return left < 0 && i > 0;
  });
  return end < 0 ? items.length : end;
}
