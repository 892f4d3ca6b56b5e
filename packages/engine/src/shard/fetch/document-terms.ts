import { LhsError } from '@lakehouse-search/contract';
import { eachTermOf } from '../../inverted/document-terms.ts';
import { analyzeWords } from '../../query/bind/words.ts';
import { termMapKey } from '../../query/weight/statistics.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { Mapping } from '../../schema/mapping.ts';
import { comparedText } from '../../schema/values/folded-keyword.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { CountedTerm } from '../shard.ts';
import { documentValues } from './document.ts';

/** Reading the terms of one document takes at most this long. */
const READ_MILLIS = 2000;

/**
 * The terms of a document in some fields: by analysing the index's own copy of its text, or from
 * the postings if there is none. Throws limit_exceeded if that takes too long.
 */
export function documentTerms(
  reader: SegmentReader,
  doc: number,
  { fields }: Mapping,
  names: readonly string[],
): readonly (readonly CountedTerm[])[] {
  const deadline = performance.now() + READ_MILLIS;
  const plans = names.flatMap((name) => fields.find(({ plan }) => plan.name === name)?.plan ?? []);
  const values = documentValues(reader, doc);
  return plans.map((plan) => {
    const texts = plan.stored || plan.column !== null ? values.texts(plan) : [];
    if (texts.length === 0) return termsOfPostings(reader, doc, plan, deadline);
    const counts = new TermCounts();
    for (const text of texts) for (const term of termsOfText(plan, text)) counts.add(term);
    return counts.all;
  });
}

/** The terms of a text in a field. */
export function termsOfText(plan: FieldPlan, text: string): readonly Uint8Array[] {
  if (plan.inverted?.kind !== 'text') return [Buffer.from(comparedText(plan, text))];
  return analyzeWords(plan.inverted.analyzer, text).map(({ term }) => term);
}

/** Terms, each once, with the sum of its counts. */
export class TermCounts {
  readonly #byName = new Map<string, CountedTerm>();

  add(term: Uint8Array, count = 1): void {
    const name = termMapKey(term);
    const known = this.#byName.get(name)?.count ?? 0;
    this.#byName.set(name, { term, count: known + count });
  }

  get all(): readonly CountedTerm[] {
    return [...this.#byName.values()];
  }
}

function termsOfPostings(
  reader: SegmentReader,
  doc: number,
  { id, name }: FieldPlan,
  deadline: number,
): readonly CountedTerm[] {
  const inverted = reader.inverted(id);
  if (inverted === null) return [];
  const found: CountedTerm[] = [];
  const request = { doc, prefix: new Uint8Array(0), deadline };
  const whole = eachTermOf(inverted, request, (term, info) => {
    const postings = inverted.postings(info);
    postings.advance(doc);
    found.push({ term, count: postings.tf() });
  });
  if (whole) return found;
  const message = `reading the terms of "${name}" takes longer than ${READ_MILLIS} ms`;
  throw new LhsError('limit_exceeded', message, { hint: `set "cached: true" on "${name}"` });
}
