import type { SearchRequest } from '@lakehouse-search/contract';
import type { SearchContext } from '../context.ts';
import type { Counted } from './meant-queries.ts';
import { fieldsOfWords, inFields } from './together/in-fields.ts';

const NUMBER = String.raw`-?\d{1,15}(?:\.\d+)?`;
const LIST = new RegExp(String.raw`^\s*${NUMBER}(?:\s*[,;]\s*${NUMBER}){1,2}\s*$`);

/**
 * The query with the most rows for a list such as `40.7484, -73.9967`, each number the value of
 * another field; undefined: there is none, or the text is no such list.
 */
export async function listedNumbers(
  context: SearchContext,
  request: SearchRequest,
): Promise<Counted | undefined> {
  const { query: text = '' } = request;
  const numbers = LIST.test(text) ? (text.match(/-?[\d.]+/g) ?? []) : [];
  const plans = fieldsOfWords(context).filter(({ inverted }) => inverted === null);
  return inFields(context, request, numbers, plans);
}
