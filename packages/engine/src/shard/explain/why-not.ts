/**
 * The first clause that keeps a document from matching. Of a bool: the first must, then filter,
 * that does not match; then should, where too few match; then the first must_not that matches.
 */
import type { WhyNot } from '@lakehouse-search/contract';
import type { Clause } from '../../query/bind/clause.ts';
import { findField } from '../../query/bind/fields.ts';
import type { BoundDocs } from '../../query/bind/precomputed.ts';
import { exactTerms, positiveParts } from '../../query/clauses/registry.ts';
import { shownTerm } from '../../query/explain/term-name.ts';
import { innerQueries, type Query } from '../../query/query.ts';
import type { Contents } from './contents.ts';
import { notNearWords } from './explain-near.ts';
import { missingWords, nearMiss } from './near-miss.ts';
import type { Subject } from './subject.ts';
import type { Verdict } from './verdict.ts';

const SHOWN_TOKENS = 40;
/** Tokens shown before the first that the clause asks for. */
const TOKENS_BEFORE = 5;
const SHOWN_OTHERS = 8;

/** Why a query does not match. */
export function whyNot(verdict: Verdict, subject: Subject): WhyNot {
  const { node, clause, vanished, parts } = verdict;
  if (vanished) return nothingLeft(clause, 'its analyzer removes every word');
  if (node.kind === 'match_none') return nothingLeft(clause, 'it matches no document');
  if (innerQueries(node).length === 0) return leafMiss(verdict, subject);
  const broken = parts.find(({ role, verdict: part }) => {
    return (role === 'must' || role === 'filter') && part.detail === null;
  });
  if (broken !== undefined) return whyNot(broken.verdict, subject);
  const optional = parts.filter(({ role }) => role === 'should').map((part) => part.verdict);
  const matching = optional.filter((part) => part.detail !== null).length;
  if (verdict.minimum < 0) return nothingLeft(clause, 'it requires more clauses than it has');
  if (matching < verdict.minimum) return tooFew(verdict, optional, matching, subject);
  const [culprit] = parts.filter(({ role, verdict: part }) => role === 'must_not' && part.detail);
  return excluded(culprit.verdict, subject);
}

function nothingLeft(clause: string, why: string): WhyNot {
  return { reason: 'nothing_left', message: `${clause} can match nothing: ${why}`, clause };
}

function tooFew(
  { clause, minimum }: Verdict,
  optional: readonly Verdict[],
  matching: number,
  subject: Subject,
): WhyNot {
  const missing = optional.filter((part) => part.detail === null);
  if (optional.length === 1) return whyNot(missing[0], subject);
  const message =
    matching === 0 && minimum === 1
      ? `none of the ${optional.length} alternatives of ${clause} matches`
      : `${matching} of the ${optional.length} alternatives of ${clause} match, ${minimum} must`;
  const others = missing.slice(0, SHOWN_OTHERS).map((part) => whyNot(part, subject));
  return { reason: 'none_of', message, clause, others };
}

function excluded(verdict: Verdict, subject: Subject): WhyNot {
  const { clause, node } = verdict;
  const message = `excluded: ${clause} matches, and must not`;
  const base: WhyNot = { reason: 'excluded', message, clause };
  if (!('field' in node)) return base;
  return { ...base, field: node.field, ...shown(contentsOf(node, subject), verdict) };
}

/** It has no vector, or others are nearer. */
function notNear(given: BoundDocs, clause: string, subject: Subject): WhyNot {
  const { near } = given;
  if (near === undefined) {
    return { reason: 'not_near', message: `${clause}: it is not among them`, clause };
  }
  const why = notNearWords(near, subject);
  return { reason: 'not_near', message: `${clause}: ${why}`, clause, field: near.field.name };
}

type FieldNode = Query & { readonly field: string };

function contentsOf(node: FieldNode, subject: Subject): Contents {
  const target = findField(subject.bind.fields, node.field);
  if (target === undefined) return null;
  const { contents } = subject;
  if (target.kind === 'path') return contents.ofPath(target.plan, target.path);
  return contents.ofField(target.plan);
}

/** The tokens around the first that the clause asks for. */
function shown(contents: Contents, { bound }: Verdict): Pick<WhyNot, 'tokens' | 'tokens_total'> {
  if (contents === null) return {};
  if (contents.length <= SHOWN_TOKENS) return { tokens: contents };
  const words = new Set(bound === null ? [] : wordsOf(bound));
  const first = contents.findIndex((token) => words.has(token));
  const from = Math.min(Math.max(0, first - TOKENS_BEFORE), contents.length - SHOWN_TOKENS);
  const tokens = contents.slice(from, from + SHOWN_TOKENS);
  return { tokens, tokens_total: contents.length };
}

function wordsOf(clause: Clause): readonly string[] {
  const own =
    'field' in clause ? exactTerms(clause).map((term) => shownTerm(clause.field, term)) : [];
  return [...own, ...positiveParts(clause).flatMap(wordsOf)];
}

function leafMiss(verdict: Verdict, subject: Subject): WhyNot {
  const { node, clause, bound } = verdict;
  if (node.kind === 'knn' && bound?.kind === 'precomputed')
    return notNear(bound.precomputed, clause, subject);
  if (node.kind === 'ids') {
    return { reason: 'clause', message: `${clause} needs one of its keys`, clause };
  }
  if (node.kind === 'more_like_this' && bound?.kind === 'bool') {
    const { minimum, should } = bound;
    const message = `${clause} needs ${minimum} of its ${should.length} words`;
    return { reason: 'clause', message, clause };
  }
  if (!('field' in node)) return nothingLeft(clause, 'it matches no document');
  const contents = contentsOf(node, subject);
  const unknown = unknownWord(verdict, subject);
  return {
    reason: 'clause',
    message: `${clause} ${need(verdict, contents, subject)}`,
    clause,
    field: node.field,
    ...shown(contents, verdict),
    ...nearMiss(verdict, contents, subject),
    ...(unknown === undefined ? {} : { nearest_term: unknown }),
  };
}

/** What the clause needs and does not get. */
function need({ node, bound }: Verdict, contents: Contents, subject: Subject): string {
  const field = 'field' in node ? node.field : '';
  if (contents?.length === 0) return `needs a value: ${field} is empty`;
  if (bound?.kind === 'phrase') {
    const missing = missingWords(bound, subject);
    if (missing.length > 0) return lacks(field, missing);
    if (bound.slop > 0) return `needs the words closer together`;
    const beside = bound.words.every(({ offset }, i) => offset === i);
    return beside
      ? 'needs the words next to each other'
      : 'needs the words at exactly these positions';
  }
  if (bound?.kind === 'term') {
    const known =
      subject.guarded || subject.statistics.documentFrequency(bound.field.id, bound.term) > 0;
    const word = shownTerm(bound.field, bound.term);
    return known ? lacks(field, [word]) : `needs "${word}": no document has it`;
  }
  switch (node.kind) {
    case 'match':
      return lacks(
        field,
        bound === null ? [] : wordsOf(bound).filter((word) => !contents?.includes(word)),
      );
    case 'terms':
      return 'needs one of its values';
    case 'range':
    case 'cidr':
      return 'needs a value in this range';
    case 'exists':
      return 'needs a value';
    case 'term':
    case 'phrase':
      return node.value.includes('/') ? 'needs a value in this range' : 'needs exactly this value';
    default:
      return 'matches no value of the document';
  }
}

function lacks(field: string, words: readonly string[]): string {
  const quoted = words.map((word) => `"${word}"`).join(', ');
  return `needs ${quoted}: ${field} does not have ${words.length === 1 ? 'it' : 'them'}`;
}

/** The field's term nearest to a word that no document has. */
function unknownWord({ node, bound }: Verdict, subject: Subject): string | undefined {
  if (bound?.kind !== 'term' || !('value' in node) || subject.guarded) return undefined;
  if (bound.field.name.endsWith('#paths')) return undefined;
  if (subject.statistics.documentFrequency(bound.field.id, bound.term) > 0) return undefined;
  return subject.elsewhere.nearestTerm(bound.field, node.value);
}
