import { type Clause, NONE } from './clause.ts';

/** `a OR b`: the one part where there is one, `none` where there is none. */
export function anyOf(should: readonly Clause[]): Clause {
  if (should.length === 0) return NONE;
  if (should.length === 1) return should[0];
  return { kind: 'bool', must: [], should, mustNot: [], filter: [], minimum: 1 };
}

/** `a AND b` of one part or more. */
export function allOf(must: readonly Clause[]): Clause {
  if (must.length === 1) return must[0];
  return { kind: 'bool', must, should: [], mustNot: [], filter: [], minimum: 0 };
}

/** The matches of `clause`, each with the score `boost`. */
export function constant(clause: Clause, boost: number): Clause {
  if (clause.kind === 'none') return NONE;
  const must: Clause[] = [{ kind: 'all', boost }];
  return { kind: 'bool', must, should: [], mustNot: [], filter: [clause], minimum: 0 };
}

/** Byte strings in order, each once. */
export function sortedTerms(terms: readonly Uint8Array[]): readonly Uint8Array[] {
  const sorted = terms.toSorted(Buffer.compare);
  return sorted.filter((term, i) => i === 0 || Buffer.compare(term, sorted[i - 1]) !== 0);
}
