import type { LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../../base/limits.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { comparedText } from '../../schema/values/folded-keyword.ts';
import type { Query, ZeroTerms } from '../query.ts';
import {
  addressBlock,
  bindCidr,
  bindRange,
  byteValue,
  requireValues,
  valueRange,
} from './bounds.ts';
import {
  anyOf,
  type Clause,
  constant,
  NONE,
  type NumberRange,
  type PhraseWord,
  sortedTerms,
} from './clause.ts';
import { bindDeclared } from './declared.ts';
import { changeHint, resolveField } from './fields.ts';
import { matchWords, valuePattern } from './match.ts';
import { bindPath } from './path.ts';
import { bindPattern, type PatternNode } from './patterns.ts';
import { type BindScope, countLeaf, fieldSpan, type LeafNode, nodeError } from './scope.ts';
import { noteSplit } from './split-pattern.ts';
import { type Variant, variantsOf } from './synonyms.ts';
import { wholeField, wholeValues } from './whole-value.ts';
import { analyzeWords, phraseOf } from './words.ts';

/**
 * Binds a leaf; null: it vanishes from its group, because the analyzer leaves nothing of its text.
 */
export function bindLeaf(node: LeafNode, boost: number, scope: BindScope): Clause | null {
  const target = resolveField(scope.fields, node, scope.text);
  const values = wholeValues(node, scope);
  if (target.kind === 'path') {
    return anyOf((values ?? [node]).map((part) => bindPath(part, target, boost, scope)));
  }
  const { plan } = target;
  const whole = values && wholeField(values[0], plan, scope);
  if (values && whole) {
    return anyOf(values.map((part) => exactValue(part, whole, part.value, boost, scope)));
  }
  const leaf = values?.[1] ?? node;
  const flat = scope.fields.declared?.get(plan.id);
  if (flat === undefined) return bindField(leaf, plan, boost, scope);
  return bindDeclared(leaf, plan, flat, boost, scope, (part, factor) =>
    bindField(part, plan, factor, scope),
  );
}

function noWords(node: LeafNode, { name }: FieldPlan, { text }: BindScope): LhsError {
  const message = `field "${name}" is VECTOR: it holds what texts mean, no words and values`;
  const hint = 'search in the mode semantic or hybrid, or send a "knn" clause of the query tree';
  return nodeError(text, fieldSpan(node), message, hint);
}

function bindField(
  node: LeafNode,
  plan: FieldPlan,
  boost: number,
  scope: BindScope,
): Clause | null {
  if (plan.vector !== undefined && node.kind !== 'exists') throw noWords(node, plan, scope);
  switch (node.kind) {
    case 'term':
      return bindValue(node, plan, node.value, 0, boost, scope);
    case 'phrase':
      noteSigns(node.value, plan, scope);
      return withoutWords(node, bindValue(node, plan, node.value, node.slop, boost, scope), boost);
    case 'phrase_prefix':
      return bindPhrasePrefix(node, plan, boost, scope);
    case 'match':
      return bindMatch(node, plan, boost, scope);
    case 'terms':
      return bindTerms(node, plan, boost, scope);
    case 'range':
      return bindRange(plan, node, boost, scope);
    case 'cidr':
      return bindCidr(plan, node, boost, scope);
    case 'exists':
      return { kind: 'exists', boost, field: plan };
    default:
      return bindWords(node, plan, boost, scope);
  }
}

/** Signs of texts that are no prose: `np.float`, `--force`, `a::b`. */
export const SIGNS = /\p{L}[._/:#@()=<>+~]+\p{L}|(?:^|\s)[-._/:#@=<>+~]+\p{L}/u;

/** Notes that a phrase that looks like code is compared by stems, without its signs. */
function noteSigns(value: string, { inverted }: FieldPlan, { text, notes }: BindScope): void {
  if (inverted?.kind !== 'text' || inverted.analyzer.isStemmed !== true) return;
  if (text === null || !SIGNS.test(value)) return;
  const note = `"${value}" is compared by stems of words, without signs: other forms match too`;
  if (!notes.includes(note)) notes.push(note);
}

/** A pattern of words or values. */
function bindWords(node: PatternNode, plan: FieldPlan, boost: number, scope: BindScope): Clause {
  requireTerms(node, plan, scope, `a ${node.kind} clause`);
  const clause = bindPattern(plan, node, boost, scope.text);
  noteSplit(node, plan, clause, scope);
  return clause;
}

/** What a clause finds whose text has no words. */
function withoutWords(
  { zero_terms }: { readonly zero_terms?: ZeroTerms },
  clause: Clause | null,
  boost: number,
): Clause | null {
  if (clause !== null || zero_terms === undefined) return clause;
  return zero_terms === 'all' ? { kind: 'all', boost } : NONE;
}

function bindMatch(
  node: Query & { readonly kind: 'match' },
  plan: FieldPlan,
  boost: number,
  scope: BindScope,
): Clause | null {
  if (plan.type === 'TEXT') {
    const words = textWords(node, plan, node.value, scope);
    return withoutWords(node, matchWords(node, plan, words, boost, scope), boost);
  }
  const pattern = valuePattern(node);
  if (pattern === null) return exactValue(node, plan, node.value, boost, scope);
  requireTerms(node, plan, scope, `a ${pattern.kind} clause`);
  return bindPattern(plan, pattern, boost, scope.text);
}

function bindPhrasePrefix(
  node: Query & { readonly kind: 'phrase_prefix' },
  field: FieldPlan,
  boost: number,
  scope: BindScope,
): Clause | null {
  if (field.type === 'KEYWORD' && isBare(node)) {
    return bindField({ ...node, kind: 'prefix' }, field, boost, scope);
  }
  if (field.type !== 'TEXT') {
    const message = `field "${field.name}" is ${field.type}: a phrase_prefix clause needs TEXT`;
    throw nodeError(scope.text, fieldSpan(node), message, 'write a "prefix" clause');
  }
  const all = textWords(node, field, node.value, scope);
  const [last, words] = [all.at(-1), all.slice(0, -1)];
  if (last === undefined) return withoutWords(node, null, boost);
  if (words.length === 0) return { kind: 'prefix', boost, field, prefix: last.term };
  const phrases = variants(node, field, words, scope).map(({ words: own, shift }): Clause => {
    const end = { ...last, offset: last.offset + shift };
    return { kind: 'phrase_prefix', boost, field, words: own, last: end };
  });
  return anyOf(phrases);
}

/** One value: a term or a phrase on TEXT, the exact value elsewhere. */
function bindValue(
  node: LeafNode,
  plan: FieldPlan,
  value: string,
  slop: number,
  boost: number,
  scope: BindScope,
): Clause | null {
  if (plan.type !== 'TEXT') {
    if (slop > 0 && !isBare(node)) {
      const message = `field "${plan.name}" is ${plan.type}: "~${slop}" after a phrase needs TEXT`;
      throw nodeError(scope.text, node.span, message);
    }
    return exactValue(node, plan, value, boost, scope);
  }
  const words = textWords(node, plan, value, scope);
  if (!Number.isInteger(slop) || slop < 0 || slop > LIMITS.phraseSlop) {
    const message = `slop ${slop} is not a whole number from 0 to ${LIMITS.phraseSlop}`;
    throw nodeError(scope.text, node.span, message);
  }
  const all = variants(node, plan, words, scope);
  if (all.length === 1) return phraseOf(plan, all[0].words, slop, boost);
  const parts = all.map((variant) => phraseOf(plan, variant.words, slop, boost));
  const found = parts.filter((part) => part !== null);
  return found.length === 0 ? null : anyOf(found);
}

/** Written without a field: it looks in all default fields, whatever their types are. */
const isBare = ({ span, fieldSpan }: LeafNode): boolean =>
  span !== undefined && fieldSpan === undefined;

/** Words and, unless they have been expanded, what they are with their synonyms. */
function variants(
  node: LeafNode,
  plan: FieldPlan,
  words: readonly PhraseWord[],
  scope: BindScope,
): readonly Variant[] {
  const isExpanded = 'expanded' in node && node.expanded === true;
  const table = isExpanded ? undefined : scope.fields.synonyms?.(plan);
  if (words.length === 0 || table === undefined) return [{ words, shift: 0 }];
  return variantsOf(words, table, () => countLeaf(node, scope));
}

/** The analysed words of a TEXT field's value. */
function textWords(
  node: LeafNode,
  plan: FieldPlan,
  value: string,
  scope: BindScope,
): readonly PhraseWord[] {
  requireTerms(node, plan, scope, 'a word');
  if (plan.inverted?.kind !== 'text')
    throw new TypeError(`TEXT field ${plan.name} has no analyzer`);
  const words = analyzeWords(plan.inverted.analyzer, value);
  if (words.length <= LIMITS.queryClauses) return words;
  const start = value.slice(0, 40);
  const message = `"${start}…" has ${words.length} words: at most ${LIMITS.queryClauses}`;
  throw nodeError(scope.text, node.span, message, undefined, 'limit_exceeded');
}

function exactValue(
  node: LeafNode,
  field: FieldPlan,
  value: string,
  boost: number,
  scope: BindScope,
): Clause {
  const { text } = scope;
  if (field.type === 'KEYWORD') {
    requireTerms(node, field, scope, 'a value');
    return { kind: 'term', boost, field, term: byteValue(field, value, text, node.span) };
  }
  requireValues(field, node, scope);
  if (field.type === 'IP' && value.includes('/'))
    return addressBlock(field, node, value, boost, text);
  if (field.column === 'ordinal') {
    const bound = { bytes: byteValue(field, value, text, node.span), inclusive: true };
    return { kind: 'span', boost, field, lower: bound, upper: bound };
  }
  return { kind: 'numbers', boost, field, ranges: [valueRange(field, value, text, node.span)] };
}

/**
 * A set of values: constant score whatever matches. Values of several words on TEXT become phrases
 * of an OR.
 */
function bindTerms(
  node: Query & { readonly kind: 'terms' },
  field: FieldPlan,
  boost: number,
  scope: BindScope,
): Clause | null {
  const { text } = scope;
  if (node.values.length > LIMITS.setTerms) {
    const message = `a set of ${node.values.length} values: at most ${LIMITS.setTerms}`;
    throw nodeError(text, node.span, message, undefined, 'limit_exceeded');
  }
  if (field.type === 'TEXT') return textSet(node, field, boost, scope);
  if (field.type === 'KEYWORD') {
    requireTerms(node, field, scope, 'a set of values');
    const values = node.values.map((value) => comparedText(field, value));
    return { kind: 'set', boost, field, terms: sortedTerms(encodedTexts(values)) };
  }
  requireValues(field, node, scope);
  if (field.column === 'ordinal') {
    const parts = node.values.map((value) => exactValue(node, field, value, 1, scope));
    return constant(anyOf(parts), boost);
  }
  const ranges = node.values.map((value) => valueRange(field, value, text, node.span));
  return { kind: 'numbers', boost, field, ranges: disjoint(ranges) };
}

/** The UTF-8 of many texts in one memory: encoding each for itself takes three times as long. */
function encodedTexts(texts: readonly string[]): readonly Uint8Array[] {
  const all = Buffer.allocUnsafeSlow(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let from = 0;
  return texts.map((text) => {
    const bytes = all.write(text, from);
    from += bytes;
    return new Uint8Array(all.buffer, from - bytes, bytes);
  });
}

/** The same values in ascending ranges that do not overlap. */
function disjoint(ranges: readonly NumberRange[]): readonly NumberRange[] {
  const out: NumberRange[] = [];
  for (const range of [...ranges].sort((a, b) => (a.lower < b.lower ? -1 : 1))) {
    const last = out.at(-1);
    if (last === undefined || range.lower > last.upper) out.push(range);
    else if (range.upper > last.upper) out[out.length - 1] = { ...last, upper: range.upper };
  }
  return out;
}

function textSet(
  node: Query & { readonly kind: 'terms' },
  field: FieldPlan,
  boost: number,
  scope: BindScope,
): Clause | null {
  const terms: Uint8Array[] = [];
  const phrases: Clause[] = [];
  for (const value of node.values) {
    for (const { words } of variants(node, field, textWords(node, field, value, scope), scope)) {
      if (words.length === 1) terms.push(words[0].term);
      else if (words.length > 1) phrases.push({ kind: 'phrase', boost: 1, field, words, slop: 0 });
    }
  }
  if (terms.length === 0 && phrases.length === 0) return node.values.length === 0 ? NONE : null;
  const set: Clause = { kind: 'set', boost, field, terms: sortedTerms(terms) };
  if (phrases.length === 0) return set;
  for (let i = 0; i < phrases.length; i++) countLeaf(node, scope);
  return constant(anyOf(terms.length === 0 ? phrases : [set, ...phrases]), boost);
}

/** Throws invalid_query where the field has no terms to look up. */
function requireTerms(node: LeafNode, plan: FieldPlan, scope: BindScope, what: string): void {
  if (plan.inverted !== null) return;
  const text = plan.type === 'TEXT' || plan.type === 'KEYWORD';
  const message = text
    ? `${what} needs an indexed field: "${plan.name}" is not indexed`
    : `${what} needs a TEXT or KEYWORD field: "${plan.name}" is ${plan.type}`;
  const hint = text
    ? changeHint(`set "indexed: true" on "${plan.name}"`, scope.fields.index)
    : `write a value or a range: ${plan.name}:[lo TO hi]`;
  throw nodeError(scope.text, fieldSpan(node), message, hint);
}
