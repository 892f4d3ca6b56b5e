import { createHash } from 'node:crypto';
import { allParts, type ByteBound, type Clause, type PhraseWord } from '../../query/bind/clause.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';

/** Longer keys are replaced by their SHA-256. */
const LONGEST_CHARS = 200;

/**
 * A text that two bound clauses share only when they match the same documents of a segment. Boosts
 * leave no trace in it: a filter does not score. null: documents that were found before are in it,
 * which no later clause asks for again.
 */
export function clauseKey(clause: Clause): string | null {
  let key = keys.get(clause);
  if (key === undefined) keys.set(clause, (key = keyOf(clause)));
  return key;
}

/** Bound clauses outlive a request: that of a tenant, and those of the next pages. */
const keys = new WeakMap<Clause, string | null>();

function keyOf(clause: Clause): string | null {
  if (holdsGiven(clause)) return null;
  const key = textOf(clause);
  if (key.length <= LONGEST_CHARS) return key;
  return `#${createHash('sha256').update(key).digest('base64')}`;
}

function holdsGiven(clause: Clause): boolean {
  return clause.kind === 'precomputed' || allParts(clause).some(holdsGiven);
}

function textOf(clause: Clause): string {
  switch (clause.kind) {
    case 'none':
    case 'all':
    case 'precomputed':
      return clause.kind;
    case 'bool': {
      const lists = [clause.must, clause.should, clause.mustNot, clause.filter];
      const parts = lists.map((list) => `[${list.map(textOf).join(',')}]`);
      return `bool${clause.minimum}(${parts.join('')})`;
    }
    case 'max':
      return `max${clause.tie}([${clause.parts.map(textOf).join(',')}])`;
    case 'demoted':
      return `demoted${clause.factor}(${textOf(clause.part)},${textOf(clause.negative)})`;
    case 'keys':
      return `keys(${clause.keys.map(bytesText).join(',')})`;
    default:
      return `${clause.kind}:${clause.field.id}(${leafText(clause)})`;
  }
}

type FieldClause = Extract<Clause, { readonly field: FieldPlan }>;

function leafText(clause: FieldClause): string {
  switch (clause.kind) {
    case 'term':
      return bytesText(clause.term);
    case 'phrase':
      return `${clause.words.map(wordText).join(',')}~${clause.slop}`;
    case 'phrase_prefix':
      return `${clause.words.map(wordText).join(',')},${wordText(clause.last)}`;
    case 'set':
      return clause.terms.map(bytesText).join(',');
    case 'pattern':
      return JSON.stringify(clause.source);
    case 'prefix':
      return bytesText(clause.prefix);
    case 'numbers':
      return clause.ranges.map(({ lower, upper }) => `${lower}..${upper}`).join(',');
    case 'span':
      return `${boundText(clause.lower)}..${boundText(clause.upper)}`;
    case 'exists':
      return '';
  }
}

const wordText = ({ term, offset }: PhraseWord): string => `${bytesText(term)}@${offset}`;

const bytesText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');

const boundText = (bound: ByteBound | undefined): string =>
  bound === undefined ? '*' : `${bound.inclusive ? '=' : ''}${bytesText(bound.bytes)}`;
