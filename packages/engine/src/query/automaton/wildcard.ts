import { LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../../base/limits.ts';
import type { TermAutomaton } from './automaton.ts';
import { determinise } from './dfa.ts';
import { Nfa } from './nfa.ts';
import { EVERY_POINT } from './utf8.ts';

/**
 * How a field folds the letters of a pattern: its analyzer's `normalize`. Absent: taken as they
 * are.
 */
export type Normalize = (text: string) => string;

/**
 * The automaton of a wildcard pattern over whole terms: `*` is any text, `?` one code point, a
 * backslash takes the next character as it is. Throws limit_exceeded for more than
 * LIMITS.regexChars characters.
 */
export function compileWildcard(pattern: string, normalize: Normalize = same): TermAutomaton {
  refuseLong(pattern);
  const nfa = new Nfa(pattern);
  const start = nfa.state();
  let at = start;
  for (const part of parts(pattern)) {
    const next = nfa.state();
    if (part === ANY_TEXT) {
      nfa.byte(next, 0, 255, next);
      nfa.move(at, next);
    } else if (part === ANY_POINT) nfa.points(at, EVERY_POINT, next);
    else nfa.literal(at, normalize(part), next);
    at = next;
  }
  nfa.end(at);
  return determinise(nfa, start);
}

/** Throws limit_exceeded for patterns that are too long. */
export function refuseLong(pattern: string): void {
  if (pattern.length <= LIMITS.regexChars) return;
  const most = LIMITS.regexChars;
  const message = `the pattern has ${pattern.length} characters: at most ${most} are taken`;
  throw new LhsError('limit_exceeded', message, { hint: 'shorten it' });
}

const same: Normalize = (text) => text;
const ANY_TEXT = Symbol('*');
const ANY_POINT = Symbol('?');

/** The pattern as wildcards and literal runs between them. */
function parts(pattern: string): (string | typeof ANY_TEXT | typeof ANY_POINT)[] {
  const out: (string | typeof ANY_TEXT | typeof ANY_POINT)[] = [];
  let run = '';
  const flush = () => {
    if (run !== '') out.push(run);
    run = '';
  };
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i];
    if (character === '*' || character === '?') {
      flush();
      out.push(character === '*' ? ANY_TEXT : ANY_POINT);
    } else if (character === '\\' && i + 1 < pattern.length) run += pattern[++i];
    else run += character;
  }
  flush();
  return out;
}
