import { LhsError } from '@lakehouse-search/contract';
import type { FieldPlan, VectorPlan } from '../../schema/field-plan.ts';
import type { Commit, CommittedField, CommittedVector } from '../commits/commit.ts';

/**
 * The plans that an index was built with, out of its commit alone: enough to delete, move and merge
 * documents, whatever its definition says by now. Their analyzers refuse to analyse.
 */
export function storedPlans({ fields }: Commit): readonly FieldPlan[] {
  return fields.map(
    ({ inverted, analyzer, stems, best_documents: bestDocs, vector, ...field }) => ({
      ...field,
      inverted: storedInverted(inverted, analyzer, stems, bestDocs),
      ...(vector === undefined ? {} : { vector: storedVector(vector) }),
    }),
  );
}

function storedVector({ model, ...vector }: CommittedVector): VectorPlan {
  if (model === null) return { ...vector, model };
  return { ...vector, model: model.name, checksum: model.checksum };
}

function storedInverted(
  inverted: CommittedField['inverted'],
  analyzer: string | null,
  stems: string | undefined,
  bestDocs: CommittedField['best_documents'],
): FieldPlan['inverted'] {
  if (inverted === null) return null;
  if (inverted === 'keyword') return { kind: 'keyword' };
  const name = analyzer ?? '';
  const refuse = (): never => {
    throw new LhsError('internal', `the analyzer "${name}" is not to be had here`);
  };
  const named = stems === undefined ? { name } : { name, stems };
  const stored = { ...named, analyze: refuse, normalize: refuse };
  return { kind: 'text', analyzer: stored, ...(bestDocs === undefined ? {} : { bestDocs }) };
}

/**
 * Plans of a definition with the checksums of the models that a commit's vectors were made by. A
 * field that the commit does not have stays as it is.
 */
export function asCommitted(
  plans: readonly FieldPlan[],
  commit: Commit | null,
): readonly FieldPlan[] {
  return plans.map((plan) => {
    const model = commit?.fields.find(({ id }) => id === plan.id)?.vector?.model;
    if (plan.vector === undefined || !model) return plan;
    return { ...plan, vector: { ...plan.vector, checksum: model.checksum } };
  });
}
