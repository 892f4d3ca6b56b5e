import { LhsError } from '@lakehouse-search/contract';
import { type BackendApi, namesSeveral, nearest } from '@lakehouse-search/contract/internal';
import { searchableNames } from '../config/searchable-names.ts';
import { shellWord } from '../terminal/errors/shell-word.ts';
import { plural } from '../terminal/figures.ts';

/** Searches that are offered, at most. */
const MAX_OFFERED = 4;

/** The text of a search, and the index that it was probably meant for. */
type Meant = readonly [index: string, text: string | undefined];

/**
 * The error of a search in an index that does not exist, with the searches that were probably meant
 * and their totals: those of `a,b` and `_all`, and that of `search WORDS INDEX`.
 */
export async function withOtherSearches(
  error: unknown,
  backend: BackendApi,
  index: string,
  text: string | undefined,
): Promise<unknown> {
  if (!(error instanceof LhsError) || error.code !== 'index_not_found') return error;
  const meant = meantBy(index, text, await searchableNames(backend));
  if (meant.length === 0) return error;
  const lines = await Promise.all(meant.slice(0, MAX_OFFERED).map((one) => lineOf(backend, one)));
  const { code, message, hint } = error;
  const advice = [...(hint === undefined ? [] : [hint]), ...lines].join('\n');
  return new LhsError(code, message, { hint: advice, cause: error });
}

function meantBy(index: string, text: string | undefined, names: readonly string[]): Meant[] {
  if (namesSeveral(index)) {
    const isAll = index === '_all' || index.includes('*');
    const like = (name: string) =>
      nearest(name, names) ?? names.find((one) => name !== '' && one.startsWith(name));
    const each = isAll ? names : index.split(',').flatMap((name) => like(name) ?? []);
    return [...new Set(each)].map((name) => [name, text]);
  }
  const words = [index, ...(text ?? '').split(' ')];
  const at = words.findIndex((word) => names.includes(word));
  return at < 0 ? [] : [[words[at], words.toSpliced(at, 1).join(' ')]];
}

/** `lhs search notes fox  # 3 hits`. */
async function lineOf(backend: BackendApi, [index, text]: Meant): Promise<string> {
  const request = { index, ...(text === undefined ? {} : { query: text }), limit: 1 };
  const total = await backend.search(request).then(
    (answer) => `  # ${plural(answer.total, 'hit')}`,
    () => '',
  );
  return `lhs search ${index}${text === undefined ? '' : ` ${shellWord(text)}`}${total}`;
}
