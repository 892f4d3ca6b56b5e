import { findField } from '../../query/bind/fields.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import type { FanOut } from '../fan-out.ts';
import { frequentTerms } from '../suggest.ts';

/** Words for true and for false. */
const TRUTHS: readonly (readonly string[])[] = [
  ['true', 'yes', 'on', 't', 'y', '1'],
  ['false', 'no', 'off', 'f', 'n', '0'],
];

const truthOf = (text: string) => TRUTHS.find((words) => words.includes(text.toLowerCase()));

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
  const values = await frequentTerms(context, fan, field, TRUTHS.flat().length);
  return values.every(truthOf) ? values.filter((value) => truthOf(value) === truth) : [];
}
