import type { IndexSnapshot } from '../index/index-snapshot.ts';
import { compileFuzzy } from '../query/automaton/levenshtein.ts';
import { eachTerm } from '../query/weight/pattern-matches.ts';
import type { FieldPlan } from '../schema/field-plan.ts';

const SHORT_WORD = 5;
const LONGEST_WORD = 64;
const decoder = new TextDecoder();

/**
 * The term of a field nearest to a word (at most 2 edits, 1 for short words), the more frequent
 * first; undefined: none.
 */
export function nearestTerm(
  snapshot: IndexSnapshot,
  field: FieldPlan,
  word: string,
): string | undefined {
  const folded = field.inverted?.kind === 'text' ? field.inverted.analyzer.normalize(word) : word;
  if (folded.length > LONGEST_WORD) return undefined;
  const automaton = compileFuzzy(folded, folded.length <= SHORT_WORD ? 1 : 2);
  const frequencies = new Map<string, { distance: number; documents: number }>();
  for (const segment of snapshot.segments) {
    const inverted = segment.inverted(field.id);
    if (inverted === null) continue;
    eachTerm(inverted, automaton, (info, distance, cursor) => {
      const term = decoder.decode(cursor.bytes());
      const documents = (frequencies.get(term)?.documents ?? 0) + info.df;
      frequencies.set(term, { distance, documents });
    });
  }
  const near = [...frequencies].filter(([term]) => term !== folded);
  near.sort(([, a], [, b]) => a.distance - b.distance || b.documents - a.documents);
  return near[0]?.[0];
}
