import type { Query, Span } from '../query.ts';

/** Where a node came from. */
export interface Place {
  readonly span: Span;
  readonly fieldSpan?: Span | undefined;
}

/** The node, frozen, with its place. */
export function placed(node: Query, place: Place): Query {
  const { span, fieldSpan } = place;
  const made = { ...node, span: Object.freeze({ from: span.from, to: span.to }) };
  return Object.freeze(fieldSpan === undefined ? made : { ...made, fieldSpan });
}

/**
 * A bool in its plainest form: one positive clause alone is that clause; one `should` alone is a
 * `must`; required clauses stay apart from optional ones (which then only add to the score).
 */
export function bool(
  parts: {
    readonly must: readonly Query[];
    readonly should: readonly Query[];
    readonly must_not: readonly Query[];
  },
  span: Span,
): Query {
  let { must, should } = parts;
  if (must.length === 0 && should.length === 1) [must, should] = [should, must];
  if (must.length === 1 && should.length === 0 && parts.must_not.length === 0) return must[0];
  const node = {
    kind: 'bool',
    must: Object.freeze([...must]),
    should: Object.freeze([...should]),
    must_not: Object.freeze([...parts.must_not]),
    filter: NONE,
  } as const;
  return placed(node, { span });
}

const NONE: readonly Query[] = Object.freeze([]);
