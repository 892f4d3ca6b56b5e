/**
 * What a document has in a field. TEXT: its tokens in order, by analysing the cached text again, or
 * where none is cached by asking every term of the dictionary for its positions. Other fields: the
 * values, from the column, the cache or the terms.
 */
import { DICTIONARY_BLOCK } from '../../inverted/format.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import { analyzeWords } from '../../query/bind/words.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { fieldValueToJson } from '../../schema/values.ts';
import { pathPrefix } from '../../schema/variant-terms.ts';
import { documentValues } from '../document.ts';
import type { Subject } from './subject.ts';

/** Asking every term takes no longer than this; then the contents are not known. */
const WALK_MILLIS = 2000;

/** Tokens or values in order; null: not known (neither cached nor found in time). */
export type Contents = readonly string[] | null;

/** What the document has in a field. */
export function fieldContents(plan: FieldPlan, subject: Subject): Contents {
  const { reader, doc } = subject;
  const values = documentValues(reader, doc);
  if (plan.inverted?.kind === 'text') {
    const { analyzer } = plan.inverted;
    const texts = plan.stored ? values.texts(plan) : [];
    if (texts.length === 0) return tokensByTerms(plan, subject);
    return texts.flatMap((text) => analyzeWords(analyzer, text).map(({ term }) => textOf(term)));
  }
  if (plan.column !== null || plan.stored) {
    return values.of(plan).map((value) => String(fieldValueToJson(plan.type, value)));
  }
  return plan.inverted === null ? null : valuesByTerms(plan, subject, new Uint8Array(0));
}

/** The values of one path of a flattened variant. */
export function pathContents(plan: FieldPlan, path: string, subject: Subject): Contents {
  return valuesByTerms(plan, subject, Buffer.from(pathPrefix(path)));
}

const textOf = (term: Uint8Array): string => Buffer.from(term).toString();

function tokensByTerms(plan: FieldPlan, { reader, doc }: Subject): Contents {
  const inverted = reader.inverted(plan.id);
  if (inverted === null || inverted.lengthOf(doc) === 0) return [];
  const found: { readonly position: number; readonly term: string }[] = [];
  const whole = eachTermOf(inverted, doc, new Uint8Array(0), (bytes, positions) => {
    const term = textOf(bytes);
    for (const position of positions()) found.push({ position, term });
  });
  if (!whole) return null;
  return found.sort((a, b) => a.position - b.position).map(({ term }) => term);
}

function valuesByTerms(plan: FieldPlan, { reader, doc }: Subject, head: Uint8Array): Contents {
  const inverted = reader.inverted(plan.id);
  if (inverted === null) return [];
  const found: string[] = [];
  const whole = eachTermOf(inverted, doc, head, (bytes) => {
    found.push(textOf(bytes.subarray(head.length)));
  });
  return whole ? found : null;
}

/** Calls `visit` for each term of a document that begins with `head`; false: not in time. */
function eachTermOf(
  inverted: InvertedReader,
  doc: number,
  head: Uint8Array,
  visit: (term: Uint8Array, positions: () => Int32Array) => void,
): boolean {
  const deadline = performance.now() + WALK_MILLIS;
  const cursor = inverted.terms(head);
  for (let i = 0; cursor.next(); i++) {
    const bytes = cursor.bytes();
    if (!head.every((byte, at) => bytes[at] === byte)) return true;
    if (i % DICTIONARY_BLOCK === 0 && performance.now() > deadline) return false;
    const postings = inverted.postings(cursor.info());
    if (postings.advance(doc) !== doc) continue;
    visit(bytes, () => {
      const positions = new Int32Array(postings.tf());
      postings.positions(positions);
      return positions;
    });
  }
  return true;
}
