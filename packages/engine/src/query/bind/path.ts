import type { FieldPlan } from '../../schema/field-plan.ts';
import { leafTexts, pathPrefix, pathTerm } from '../../schema/variant-terms.ts';
import { anyOf, type Clause, constant, sortedTerms } from './clause.ts';
import { changeHint, type FlatPath } from './fields.ts';
import { valuePattern } from './match.ts';
import { bindPathPattern } from './patterns.ts';
import { type BindScope, type LeafNode, nodeError } from './scope.ts';

const encoder = new TextEncoder();

/** A path inside a flattened variant: exact `path = value` terms. */
export function bindPath(node: LeafNode, flat: FlatPath, boost: number, scope: BindScope): Clause {
  const { plan: field, path } = flat;
  const terms = (values: readonly string[]) =>
    sortedTerms(values.flatMap(leafTexts).map((value) => encoder.encode(pathTerm(path, value))));
  switch (node.kind) {
    case 'match': {
      const pattern = valuePattern(node);
      if (pattern !== null) return bindPathPattern(field, pattern, path, boost, scope.text);
      return bindPath({ kind: 'term', field: node.field, value: node.value }, flat, boost, scope);
    }
    case 'phrase':
    case 'term': {
      if (node.kind === 'phrase' && node.slop > 0) throw notOnPath(node, path, scope);
      const [term, ...others] = terms([node.value]);
      if (others.length === 0) return { kind: 'term', boost, field, term: term };
      return { kind: 'set', boost, field, terms: [term, ...others] };
    }
    case 'terms':
      return { kind: 'set', boost, field, terms: terms(node.values) };
    case 'exists':
      return anyPrefix(field, [pathPrefix(path), `${pathPrefix(path).slice(0, -1)}.`], boost);
    case 'range':
    case 'cidr':
    case 'phrase_prefix':
      throw notOnPath(node, path, scope);
    default:
      return bindPathPattern(field, node, path, boost, scope.text);
  }
}

function anyPrefix(field: FieldPlan, prefixes: readonly string[], boost: number): Clause {
  const parts = prefixes.map(
    (prefix): Clause => ({ kind: 'prefix', boost: 1, field, prefix: encoder.encode(prefix) }),
  );
  return constant(anyOf(parts), boost);
}

function notOnPath(node: LeafNode, path: string, { text, fields: { index } }: BindScope) {
  const message = `a ${node.kind} clause needs a typed field: "${path}" is an undeclared path`;
  const hint = changeHint(`declare "${path}" as a field of a shape`, index);
  return nodeError(text, node.span, message, hint);
}
