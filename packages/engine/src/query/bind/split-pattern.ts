import { analyzeToTokens } from '../../analysis/tokens.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { Clause } from './clause.ts';
import type { BindScope, LeafNode } from './scope.ts';

/**
 * Notes a pattern that no word of a TEXT field can match: what it begins with has a character at
 * which the analyzer ends words, as in `CVE-2021-*`. Fields that say the same share a note.
 */
export function noteSplit(
  node: LeafNode,
  { name, inverted }: FieldPlan,
  clause: Clause,
  { text, notes }: BindScope,
): void {
  if (inverted?.kind !== 'text' || node.span === undefined || text === null) return;
  const begin = startOf(clause);
  if (!SEPARATOR.test(begin)) return;
  const isWhole = (word: string) =>
    ['a', '1'].some((next) =>
      analyzeToTokens(inverted.analyzer, word + next).some((token) => {
        return token.start === 0 && token.end >= word.length;
      }),
    );
  // an analyzer of parts of words keeps no word whole
  if (isWhole(begin) || !isWhole(begin.replace(/[^\p{L}\p{N}]/gu, 'a'))) return;
  const shown = text.slice(node.span.from, node.span.to);
  const words = begin.replace(/[^\p{L}\p{N}]+$/u, '');
  const phrase = `"${words}"${words === begin ? '*' : ''}`;
  const start = 'no word of ';
  const end = ` can match ${shown}, as words end inside it: write ${phrase}`;
  const same = notes.findIndex((note) => note.startsWith(start) && note.endsWith(end));
  const names = same < 0 ? name : `${notes[same].slice(start.length, -end.length)}, ${name}`;
  notes.splice(same < 0 ? notes.length : same, 1, start + names + end);
}

const SEPARATOR = /[^\p{L}\p{N}]/u;

/** The text that all matches of a prefix or pattern begin with. */
function startOf(clause: Clause): string {
  if (clause.kind === 'prefix') return Buffer.from(clause.prefix).toString();
  return clause.kind === 'pattern' ? Buffer.from(clause.automaton.literalPrefix).toString() : '';
}
