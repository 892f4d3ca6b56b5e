import type { FlatPath, QueryFields } from '../../query/bind/fields.ts';
import type { Mapping } from '../../schema/mapping.ts';
import { pathField } from '../../schema/variant-terms.ts';

/** Fields of shapes whose column is flattened, too: by id, where the terms of their path are. */
export function declaredPaths(mapping: Mapping): QueryFields['declared'] {
  const plans = new Map(mapping.fields.map(({ plan }) => [plan.name, plan]));
  const declared = new Map<number, FlatPath>();
  for (const { plan, definition } of mapping.fields) {
    if (definition?.path === undefined) continue;
    const paths = plans.get(pathField(definition.source[0]!));
    if (paths !== undefined) {
      declared.set(plan.id, { plan: paths, path: definition.path.join('.') });
    }
  }
  return declared;
}
