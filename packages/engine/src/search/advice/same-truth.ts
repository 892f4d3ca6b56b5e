import { findField } from '../../query/bind/fields.ts';
import { TRUTHS, truthOf } from '../../schema/values/truth.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import type { FanOut } from '../fan-out.ts';
import { frequentTerms } from '../suggest.ts';

/**
 * The values of a field that say the same as a word for true or false, if all its values are such
 * words: `yes` for `survived:true`.
 */
export async function sameTruth(
  context: SearchContext,
  fan: FanOut,
  field: string,
  word: string,
): Promise<readonly string[]> {
  const truth = truthOf(word);
  const target = findField(queryFields(context.mapping), field);
  if (truth === undefined || target?.plan.inverted?.kind !== 'keyword') return [];
  const values = await frequentTerms(context, fan, field, 2 * TRUTHS.true.length);
  return values.every(truthOf) ? values.filter((value) => truthOf(value) === truth) : [];
}
