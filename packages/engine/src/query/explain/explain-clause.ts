/**
 * A bound clause on one document: whether it matches, its score, and what the score is made of, by
 * the scorer's own statistics and formulas, with the document's own postings.
 */
import type { ExplainDetail } from '@lakehouse-search/contract';
import type { Clause } from '../bind/clause.ts';
import type { ExplainedDoc } from '../clauses/module.ts';
import { isCompoundModule, moduleOf } from '../clauses/registry.ts';
import { explainConstant } from './constant.ts';

/** The explanation of a clause that the document matches, named `name`; null: it does not. */
export function explainClause(
  clause: Clause,
  doc: ExplainedDoc,
  name: string,
): ExplainDetail | null {
  const module = moduleOf(clause);
  if (isCompoundModule(module)) {
    return module.explain(clause, name, (part, at) =>
      explainClause(part, doc, at === null ? name : partName(part, name, at)),
    );
  }
  if (module.explain !== undefined) return module.explain(clause, doc, name);
  return explainConstant(clause, module, doc, name, () => ('boost' in clause ? clause.boost : 0));
}

function partName(part: Clause, name: string, at: number): string {
  const module = moduleOf(part);
  const own = isCompoundModule(module) ? undefined : module.partName?.(part);
  return own ?? `${name} (${at + 1})`;
}
