import { readCondition } from '../../query/bind/comparison.ts';
import { findField, nearestFieldName, type QueryFields } from '../../query/bind/fields.ts';
import type { Query } from '../../query/query.ts';
import { escapeField, escapeWord } from '../../query/syntax/characters.ts';
import { isBare } from './guesser.ts';
import { plainNumber } from './written-number.ts';

/** Values that are one value in our syntax: `Crime,epic`, `Crime|epic`. */
const LIST = /^[^,|]+(?:[,|][^,|]+)+$/;
const WORD = String.raw`(?:[\p{L}\p{M}\p{N}]+|\p{L}[\p{L}\p{M}\p{N}.-]*[\p{L}\p{N}])`;
/** Words in a list, none of them part of a number such as `-80.25`. */
const WORD_LIST = new RegExp(`^${WORD}(?:[,|]${WORD})+$`, 'u');

/**
 * What somebody probably meant by a clause that finds nothing, as a query string; undefined: there
 * is no such guess. `severity>=3` was meant as a range of the field `severity`, or of the nearest
 * one if there is none of that name, and `genre:a,b` and `a,b` as either value. `written`: the
 * clause in the query string.
 */
export function respelled(node: Query, written: string, fields: QueryFields): string | undefined {
  if (node.kind !== 'term') return undefined;
  if ((isBare(node) ? WORD_LIST : LIST).test(node.value)) {
    const head = isBare(node) ? '' : `${escapeField(node.field)}:`;
    const number = plainNumber(node.value);
    const values = node.value.split(/[,|]/).map(escapeWord);
    return head + (number ?? `(${values.join(' OR ')})`);
  }
  const comparison = readCondition(written);
  if (comparison?.length !== written.length) return undefined;
  const { name } = comparison;
  const meant = findField(fields, name) === undefined ? nearestFieldName(fields, name) : name;
  return comparison.clause(meant ?? name);
}
