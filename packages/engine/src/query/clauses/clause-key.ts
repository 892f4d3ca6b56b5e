import { createHash } from 'node:crypto';
import type { Clause } from '../bind/clause.ts';
import { allParts, moduleOf } from './registry.ts';

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
  if (allParts(clause).some((part) => clauseKey(part) === null)) return null;
  const text = moduleOf(clause).key(clause, (part) => clauseKey(part)!);
  if (text === null) return null;
  const field = 'field' in clause ? `:${clause.field.id}` : '';
  const key = `${clause.kind}${field}(${text})`;
  if (key.length <= LONGEST_CHARS) return key;
  return `#${createHash('sha256').update(key).digest('base64')}`;
}
