import { findField } from '../../query/bind/fields.ts';
import type { Query } from '../../query/query.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import { asIndexed } from '../context.ts';
import { frequentTerms } from '../suggest.ts';
import { type Guesser, leavesOf } from './guesser.ts';

/** Values that a note lists, and characters of one. */
const LISTED = 20;
const CHARS = 40;

/** Why a clause of whole values finds nothing: all values of its field, if they are few. */
export async function fewValues(
  { context, fan }: Guesser,
  node: Query,
): Promise<string | undefined> {
  const leaves = leavesOf(node);
  const [leaf] = leaves;
  if (leaves.length !== 1 || !('field' in leaf) || leaf.kind === 'exists') return undefined;
  const target = findField(queryFields(context.mapping), leaf.field);
  if (target?.kind !== 'field' || target.plan.inverted?.kind !== 'keyword') return undefined;
  const values = await frequentTerms(context, fan, leaf.field, LISTED + 1);
  if (values.length > LISTED || values.some((value) => value.length > CHARS)) return undefined;
  const name = `${leaf.field}${await asIndexed(context)}`;
  return values.length === 0
    ? `no row has a value of ${name}`
    : `values of ${name}: ${values.join(', ')}`;
}
