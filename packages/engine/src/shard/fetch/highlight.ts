import type { Highlight, Segment } from '@lakehouse-search/contract';
import type { Analyzer } from '../../analysis/analyzer.ts';
import type { Deadline } from '../../base/time/deadline.ts';
import type { Clause } from '../../query/bind/clause.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { foldKeyword } from '../../schema/values/folded-keyword.ts';
import { bestFragments } from './fragments.ts';
import { markText } from './marks.ts';
import { type FieldMatchers, fieldMatchers } from './matchers.ts';

/** How fragments are cut: numbers of fragments and of UTF-16 units. */
export interface FragmentSettings {
  readonly maxFragments: number;
  readonly fragmentSize: number;
}
/** A query's marks on documents. Made once a query, used for each hit. */
export interface Highlighter {
  /**
   * The marked fragments of one hit, given the texts of a field's values; undefined when no field
   * has any.
   */
  highlight(texts: (field: FieldPlan) => readonly string[]): Highlight | undefined;
}

/** A value of a KEYWORD field is one token. */
const WHOLE_VALUE: Analyzer = {
  name: 'keyword',
  analyze(text, from, to, position, sink) {
    sink.token(text, from, to, position, from, to);
    return position + 1;
  },
  normalize: (word) => word,
};

/** The same, compared without case and accents. */
const FOLDED_VALUE: Analyzer = {
  ...WHOLE_VALUE,
  analyze(text, from, to, position, sink) {
    const value = Buffer.from(foldKeyword(Buffer.from(text.subarray(from, to)).toString()));
    sink.token(value, 0, value.length, position, from, to);
    return position + 1;
  },
  normalize: foldKeyword,
};

/**
 * A highlighter for the TEXT and KEYWORD fields in `fields`. A word is marked where its own field
 * asked for it: terms and sets by their analysed tokens, exact phrases as a whole, phrases with
 * slop word by word, patterns by the tokens that they match, values of KEYWORD fields as a whole.
 * Texts are analysed again, as they were at indexing. Marking throws limit_exceeded once `deadline`
 * has passed.
 */
export function createHighlighter(
  clause: Clause,
  fields: readonly FieldPlan[],
  settings: FragmentSettings,
  deadline: Deadline,
): Highlighter {
  const asked = fields.flatMap((field): { field: FieldPlan; matchers: FieldMatchers }[] => {
    const matchers = field.inverted === null ? null : fieldMatchers(clause, field);
    return matchers === null ? [] : [{ field, matchers }];
  });
  return {
    highlight(texts) {
      const out: [string, readonly (readonly Segment[])[]][] = [];
      for (const { field, matchers } of asked) {
        const fragments = fieldFragments(field, matchers, texts(field), settings, deadline);
        if (fragments.length > 0) out.push([field.name, fragments]);
      }
      return out.length === 0 ? undefined : Object.fromEntries(out);
    },
  };
}

function fieldFragments(
  field: FieldPlan,
  matchers: FieldMatchers,
  texts: readonly string[],
  settings: FragmentSettings,
  deadline: Deadline,
): readonly (readonly Segment[])[] {
  const whole = field.folded === undefined ? WHOLE_VALUE : FOLDED_VALUE;
  const analyzer = field.inverted?.kind === 'text' ? field.inverted.analyzer : whole;
  const values = texts.map((text) => markText(text, analyzer, matchers, deadline));
  return bestFragments(values, settings.maxFragments, settings.fragmentSize);
}
