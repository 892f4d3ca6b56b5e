import { type BoolClause, type Clause, type MaxClause, NONE } from './clause.ts';

/**
 * The same matches and the same scores with fewer nodes: constants folded, a bool with one part
 * replaced by it, a bool inside a like-minded bool dissolved. Steps, bottom up:
 *
 * 1. `none` below must or filter makes the bool `none`; below should or must_not it goes away;
 *    `all` below filter goes away.
 * 2. `must` of a part that is a pure conjunction, and `should` of a part that is a pure
 *    disjunction, take its parts in its place.
 * 3. More required optional parts than there are: `none`. As many as there are: they become `must`.
 * 4. A single must, or a single needed should, alone: that part itself.
 * 5. A `max` of one part is that part. A `demoted` without negative is its part.
 */
export function rewrite(clause: Clause): Clause {
  if (clause.kind === 'max') return rewriteMax(clause);
  if (clause.kind === 'demoted') {
    const part = rewrite(clause.part);
    const negative = rewrite(clause.negative);
    if (part.kind === 'none' || negative.kind === 'none') return part;
    return { ...clause, part, negative };
  }
  if (clause.kind !== 'bool') return clause;
  const must = clause.must.map(rewrite);
  const filter = clause.filter.map(rewrite).filter((part) => part.kind !== 'all');
  if ([...must, ...filter].some((part) => part.kind === 'none')) return NONE;
  const mustNot = clause.mustNot.map(rewrite).filter((part) => part.kind !== 'none');
  if (mustNot.some((part) => part.kind === 'all')) return NONE;
  const should = clause.should.map(rewrite).filter((part) => part.kind !== 'none');
  return simplify({ kind: 'bool', must, should, mustNot, filter, minimum: clause.minimum });
}

function rewriteMax(clause: MaxClause): Clause {
  const parts = clause.parts.map(rewrite).filter((part) => part.kind !== 'none');
  if (parts.length < 2) return parts[0] ?? NONE;
  return { ...clause, parts };
}

function simplify(clause: BoolClause): Clause {
  let { must, should, filter, minimum } = clause;
  let mustNot = clause.mustNot;
  if (minimum > should.length) return NONE;
  if (minimum === should.length && minimum > 0) {
    must = [...must, ...should];
    should = [];
    minimum = 0;
  }
  const conjunctions = must.filter(isConjunction);
  if (conjunctions.length > 0) {
    filter = [...filter, ...conjunctions.flatMap((part) => part.filter)];
    mustNot = [...mustNot, ...conjunctions.flatMap((part) => part.mustNot)];
    must = must.flatMap((part) => (isConjunction(part) ? part.must : [part]));
  }
  if (minimum <= 1) {
    should = should.flatMap((part) =>
      minimum === 1 && isDisjunction(part) ? part.should : [part],
    );
  }
  const plain = filter.length === 0 && mustNot.length === 0;
  if (plain && must.length === 1 && should.length === 0) return must[0];
  if (plain && must.length === 0 && should.length === 1 && minimum === 1) return should[0];
  return Object.freeze({ kind: 'bool', must, should, mustNot, filter, minimum });
}

/** must, filter and must_not only: the parts may stand in a must of the parent. */
function isConjunction(clause: Clause): clause is BoolClause {
  return clause.kind === 'bool' && clause.should.length === 0;
}

/** A plain `a OR b`. */
function isDisjunction(clause: Clause): clause is BoolClause {
  return (
    clause.kind === 'bool' &&
    clause.minimum === 1 &&
    clause.must.length + clause.filter.length + clause.mustNot.length === 0
  );
}
