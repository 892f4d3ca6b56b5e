/**
 * What a query string probably does not mean as it is read: words that were meant as operators,
 * commas and comparisons of another syntax, words behind the one that has the field. Each is a
 * correction of the text; the note has the reasons and the corrected query.
 */
import { isCompound, positiveQueries, type Query, type Span } from '../query.ts';
import { readComparison } from './comparison.ts';
import { findField } from './fields.ts';
import type { BindScope } from './scope.ts';

/** A clause of the text; a bare word that several fields may hold is one. */
interface Written extends Span {
  readonly query: Extract<Query, { readonly field: string }>;
  readonly raw: string;
  readonly fields: string[];
}

interface Correction extends Span {
  readonly text: string;
  readonly why: string;
}

/** Texts without these signs need no correction. */
const SUSPECT = /(?:^|\s)(?:and|or|not)\s|,\s|[=<>]|:[^\s(["{]\S*\s+\S/;

/** Adds a note to the scope if the query string has corrections. */
export function noteCorrections(query: Query, { text, fields, notes }: BindScope): void {
  if (text === null || !SUSPECT.test(text)) return;
  const clauses = clausesOf(query, text);
  const found = [
    ...comparisons(clauses, text, fields),
    ...operators(clauses),
    ...commas(clauses, text, fields),
    ...strayWords(clauses, text, fields),
  ];
  const corrections = apart(found);
  if (corrections.length === 0) return;
  const reasons = [...new Set(corrections.map(({ why }) => why))].join(', ');
  notes.push(`${reasons}: perhaps you mean ${corrected(text, corrections)}`);
}

function clausesOf(query: Query, text: string): readonly Written[] {
  const found = new Map<number, Written>();
  const visit = (node: Query): void => {
    if (isCompound(node)) {
      positiveQueries(node).forEach(visit);
      return;
    }
    const { span } = node;
    if (span === undefined || !('field' in node)) return;
    const raw = text.slice(span.from, span.to);
    const clause = found.get(span.from) ?? { ...span, query: node, raw, fields: [] };
    clause.fields.push(node.field);
    found.set(span.from, clause);
  };
  visit(query);
  return [...found.values()].toSorted((a, b) => a.from - b.from);
}

type Fields = BindScope['fields'];

const isWord = ({ query }: Written): boolean =>
  query.kind === 'term' && query.fieldSpan === undefined;
const isOperator = (clause: Written): boolean =>
  isWord(clause) && /^(?:and|or|not)$/.test(clause.raw);

function operators(clauses: readonly Written[]): readonly Correction[] {
  return clauses.flatMap((clause, i) => {
    const { raw, from, to } = clause;
    const isBetween = i + 1 < clauses.length && (i > 0 || raw === 'not');
    if (!isBetween || !isOperator(clause)) return [];
    return [{ from, to, text: raw.toUpperCase(), why: `"${raw}" is searched as a word` }];
  });
}

/** `service:billing, severity:1`. The analyzer of a TEXT field drops the comma. */
function commas(clauses: readonly Written[], text: string, fields: Fields): readonly Correction[] {
  return clauses.slice(0, -1).flatMap(({ query, raw, to }) => {
    if (query.kind !== 'term' || query.fieldSpan === undefined || !raw.endsWith(',')) return [];
    if (isText(query.field, fields)) return [];
    const operator = /^\s+(?:and|or)\s/i.test(text.slice(to)) ? '' : ' AND';
    return [{ from: to - 1, to, text: operator, why: `"${query.value}" is the value of "${raw}"` }];
  });
}

const LONGEST = 3;

/** `service=billing`, `severity >= 3`, if there is such a field. */
function comparisons(
  clauses: readonly Written[],
  text: string,
  fields: Fields,
): readonly Correction[] {
  return clauses.flatMap((_, i) => {
    const words = clauses.slice(i, i + LONGEST);
    const end = words.findIndex((word, n) => {
      if (!words.slice(0, n + 1).every(isWord)) return false;
      const read = readComparison(text.slice(words[0].from, word.to));
      return read !== null && findField(fields, read.name) !== undefined;
    });
    if (end < 0) return [];
    const [{ from }, { to }] = [words[0], words[end]];
    const raw = text.slice(from, to);
    const read = readComparison(raw);
    if (read === null) return [];
    return [{ from, to, text: read.clause(read.name), why: `"${raw}" is searched as words` }];
  });
}

/** `title:expired certificate`: the second word has no field. */
function strayWords(
  clauses: readonly Written[],
  text: string,
  fields: Fields,
): readonly Correction[] {
  return clauses.flatMap(({ query, to }, i) => {
    if (query.kind !== 'term' || query.fieldSpan === undefined) return [];
    if (!isText(query.field, fields)) return [];
    const rest = clauses.slice(i + 1);
    const end = rest.findIndex((word, n) => {
      const gap = text.slice(n === 0 ? to : rest[n - 1].to, word.from);
      return !isWord(word) || isOperator(word) || gap.trim() !== '' || inField(word, query.field);
    });
    const words = end < 0 ? rest : rest.slice(0, end);
    if (words.length === 0) return [];
    const last = words[words.length - 1].to;
    const value = to - text.slice(query.fieldSpan.to, to).replace(/^\s*:?\s*/, '').length;
    const shown = text.slice(words[0].from, last);
    const why = `"${shown}" is searched in ${words[0].fields.join(', ')}`;
    return [{ from: value, to: last, text: `(${text.slice(value, last)})`, why }];
  });
}

/** True for a bare word that is searched in one field alone, and this is it. */
const inField = ({ fields }: Written, field: string): boolean =>
  fields.every((name) => name === field);

function isText(name: string, fields: Fields): boolean {
  const target = findField(fields, name);
  return target?.kind === 'field' && target.plan.type === 'TEXT';
}

/** The corrections in the order of the text, none inside of another. */
function apart(all: readonly Correction[]): readonly Correction[] {
  const sorted = all.toSorted((a, b) => a.from - b.from || b.to - a.to);
  return sorted.filter(({ from }, i) => sorted.slice(0, i).every(({ to }) => to <= from));
}

function corrected(text: string, corrections: readonly Correction[]): string {
  let out = text;
  for (const { from, to, text: part } of corrections.toReversed()) {
    out = out.slice(0, from) + part + out.slice(to);
  }
  return out;
}
