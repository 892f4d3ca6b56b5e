/**
 * Clauses near to one that does not match a document. Each is judged on the document before it is
 * offered: what is offered matches.
 */

import { nearest } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import type { Clause } from '../../query/bind/clause.ts';
import { phraseFrequency } from '../../query/clauses/phrase.ts';
import { positionsIn } from '../../query/explain/postings.ts';
import type { Query } from '../../query/query.ts';
import { printQuery } from '../../query/syntax/print.ts';
import type { Contents } from './contents.ts';
import type { Subject } from './subject.ts';
import { judge, type Verdict } from './verdict.ts';

/** A clause that matches, and what was changed for it. */
export interface NearMiss {
  readonly would_match: string;
  readonly change: string;
}

interface Change {
  readonly node: Query;
  readonly change: string;
}

/** Prefixes are cut so often, at most. */
const CUTS = 32;

/**
 * The first near clause that the document matches; null: none is found, or it has no written form.
 */
export function nearMiss(verdict: Verdict, contents: Contents, subject: Subject): NearMiss | null {
  for (const { node, change } of changes(verdict, contents ?? [], subject)) {
    const would_match = printQuery(node);
    if (would_match === undefined) continue;
    if (judge(node, subject).detail !== null) return { would_match, change };
  }
  return null;
}

function* changes(
  { node, bound }: Verdict,
  contents: readonly string[],
  subject: Subject,
): Generator<Change> {
  switch (node.kind) {
    case 'term':
    case 'phrase':
      if (bound?.kind === 'phrase') yield* phraseChanges(node, bound, contents, subject);
      else yield* valueChanges(node, node.value, contents);
      return;
    case 'prefix':
      yield* prefixChanges(node);
      return;
    case 'fuzzy':
      for (let edits = node.edits + 1; edits <= LIMITS.fuzzyEdits; edits++) {
        yield { node: { ...node, edits }, change: `with ${edits} edits` };
      }
      yield* valueChanges(node, node.value, contents);
      return;
    default:
  }
}

type Valued = Query & { readonly kind: 'term' | 'phrase' | 'fuzzy' };

/** The nearest of what the document has in the field. */
function* valueChanges(
  { field }: Valued,
  value: string,
  contents: readonly string[],
): Generator<Change> {
  const near = nearest(value, contents);
  if (near === undefined) return;
  yield { node: { kind: 'term', field, value: near }, change: 'with what the document has there,' };
}

function* prefixChanges(node: Query & { readonly kind: 'prefix' }): Generator<Change> {
  const points = Array.from(node.value);
  const least = Math.max(1, Math.ceil(points.length / 2), points.length - CUTS);
  for (let length = points.length - 1; length >= least; length--) {
    const value = points.slice(0, length).join('');
    yield { node: { ...node, value }, change: 'with a shorter prefix' };
  }
}

/**
 * More slop where every word is there; else the words that are not there as the document has them.
 */
function* phraseChanges(
  node: Valued,
  phrase: Clause & { readonly kind: 'phrase' },
  contents: readonly string[],
  subject: Subject,
): Generator<Change> {
  const words = phrase.words.map(({ term }) => Buffer.from(term).toString());
  const missing = new Set(missingWords(phrase, subject));
  const { field } = node;
  if (missing.size === 0) {
    const slop = neededSlop(phrase, subject);
    if (slop === null) return;
    const between = slop === 1 ? 'one word between' : `words up to ${slop} places off`;
    yield {
      node: { kind: 'phrase', field, value: node.value, slop },
      change: `with ~${slop} (${between})`,
    };
    return;
  }
  const near = words.map((word) => (missing.has(word) ? nearest(word, contents) : word));
  if (near.includes(undefined)) return;
  const value = near.join(' ');
  const changed: Query = { kind: 'phrase', field, value, slop: phrase.slop };
  yield { node: changed, change: 'with the words that the document has,' };
}

/** Words of a phrase or set of words that the document does not have in the field. */
export function missingWords(
  phrase: Clause & { readonly kind: 'phrase' },
  { reader, doc }: Subject,
): readonly string[] {
  const inverted = reader.inverted(phrase.field.id);
  return phrase.words.flatMap(({ term }) => {
    const there = inverted !== null && positionsIn(inverted, term, doc).length > 0;
    return there ? [] : [Buffer.from(term).toString()];
  });
}

/** The least slop with which a document has a phrase; null: more than may be asked for. */
function neededSlop(
  phrase: Clause & { readonly kind: 'phrase' },
  { reader, doc }: Subject,
): number | null {
  const inverted = reader.inverted(phrase.field.id);
  if (inverted === null) return null;
  const fits = (slop: number) => phraseFrequency(phrase, inverted, doc, slop) > 0;
  let low = phrase.slop + 1;
  let high: number = LIMITS.phraseSlop;
  if (low > high || !fits(high)) return null;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
