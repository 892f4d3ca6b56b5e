/**
 * What a document has in its fields. TEXT: its tokens in order, by analysing the cached text again,
 * or from the postings if no text is cached. Other fields: the values, from the column, the cache
 * or the terms.
 */
import { eachTermOf } from '../../inverted/document-terms.ts';
import { analyzeWords } from '../../query/bind/words.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { fieldValueToJson } from '../../schema/values/values.ts';
import { pathPrefix } from '../../schema/variant-terms.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { documentValues } from '../fetch/document.ts';

/** All reading of postings for one document takes at most this long. */
const READ_MILLIS = 2000;

/** Tokens or values in order; null: unknown, because reading the postings took too long. */
export type Contents = readonly string[] | null;

/** What one document has in its fields. Each field is read once. */
export interface DocumentContents {
  ofField(plan: FieldPlan): Contents;
  /** The values of one path of a flattened variant. */
  ofPath(plan: FieldPlan, path: string): Contents;
}

/** The contents of a document. Nothing is read before the first call. */
export function documentContents(reader: SegmentReader, doc: number): DocumentContents {
  const known = new Map<string, Contents>();
  const once = (name: string, read: () => Contents): Contents => {
    let contents = known.get(name);
    if (contents === undefined) known.set(name, (contents = read()));
    return contents;
  };
  let deadline: number | null = null;
  const place = () => {
    deadline ??= performance.now() + READ_MILLIS;
    return { reader, doc, deadline };
  };
  return {
    ofField: (plan) => once(`${plan.id}`, () => fieldContents(plan, place())),
    ofPath: (plan, path) =>
      once(`${plan.id} ${path}`, () => valuesByTerms(plan, place(), Buffer.from(pathPrefix(path)))),
  };
}

interface Place {
  readonly reader: SegmentReader;
  readonly doc: number;
  readonly deadline: number;
}

function fieldContents(plan: FieldPlan, place: Place): Contents {
  const values = documentValues(place.reader, place.doc);
  if (plan.inverted?.kind === 'text') {
    const { analyzer } = plan.inverted;
    const texts = plan.stored ? values.texts(plan) : [];
    if (texts.length === 0) return tokensByTerms(plan, place);
    return texts.flatMap((text) => analyzeWords(analyzer, text).map(({ term }) => textOf(term)));
  }
  if (plan.column !== null || plan.stored || values.of(plan).length > 0) {
    return values.of(plan).map((value) => String(fieldValueToJson(plan.type, value)));
  }
  return plan.inverted === null ? null : valuesByTerms(plan, place, new Uint8Array(0));
}

const textOf = (term: Uint8Array): string => Buffer.from(term).toString();

function tokensByTerms(plan: FieldPlan, { reader, doc, deadline }: Place): Contents {
  const inverted = reader.inverted(plan.id);
  if (inverted === null || inverted.lengthOf(doc) === 0) return [];
  const found: { readonly position: number; readonly term: string }[] = [];
  const request = { doc, prefix: new Uint8Array(0), deadline };
  const whole = eachTermOf(inverted, request, (bytes, info) => {
    const term = textOf(bytes);
    const postings = inverted.postings(info);
    postings.advance(doc);
    const positions = new Int32Array(postings.tf());
    postings.positions(positions);
    for (const position of positions) found.push({ position, term });
  });
  if (!whole) return null;
  return found.sort((a, b) => a.position - b.position).map(({ term }) => term);
}

function valuesByTerms(
  plan: FieldPlan,
  { reader, doc, deadline }: Place,
  prefix: Uint8Array,
): Contents {
  const inverted = reader.inverted(plan.id);
  if (inverted === null) return [];
  const found: string[] = [];
  const whole = eachTermOf(inverted, { doc, prefix, deadline }, (bytes) => {
    found.push(textOf(bytes.subarray(prefix.length)));
  });
  return whole ? found : null;
}
