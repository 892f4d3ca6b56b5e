import type { ExplainDetail } from '@lakehouse-search/contract';
import { Deadline } from '../../base/time/deadline.ts';
import { hasBit, wordsOf } from '../../bitmap/bitmap.ts';
import type { Clause } from '../bind/clause.ts';
import type { ExplainedDoc, LeafModule } from '../clauses/module.ts';
import { constantDetail } from './detail.ts';
import { matchedTerms } from './matched-terms.ts';

/** The explanation of a leaf whose score does not depend on statistics; null: no match. */
export function explainConstant<C extends Clause>(
  clause: C,
  module: LeafModule<C>,
  subject: ExplainedDoc,
  name: string,
  score: () => number,
): ExplainDetail | null {
  const { reader, doc } = subject;
  const bits = new Int32Array(wordsOf(reader.docs));
  module.leaf(clause, { reader, statistics: null, deadline: new Deadline() }).fill(bits);
  if (!hasBit(bits, doc)) return null;
  return constantDetail(name, score(), matchedTerms(clause, module, subject));
}
