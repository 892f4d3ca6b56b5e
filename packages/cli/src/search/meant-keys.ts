import {
  type Coordinates,
  type IndexDescription,
  LhsError,
  type SearchApi,
} from '@lakehouse-search/contract';
import { formatKey, parseKey } from '@lakehouse-search/engine';

type Searched = Pick<SearchApi, 'search'>;

/**
 * The keys of texts: whole keys, or that of the only row that has a text or begins with it. Throws
 * invalid_argument for a text that is neither.
 */
export const keysOfTexts = (
  texts: readonly string[],
  index: IndexDescription,
  backend: Searched,
): Promise<readonly Coordinates[]> =>
  Promise.all(
    texts.map(async (text) => {
      try {
        return parseKey(text, index.key);
      } catch (error) {
        const { key, reason } = await meantBy(text, index, backend);
        if (key !== undefined) return key;
        if (reason === undefined || !(error instanceof LhsError)) throw error;
        throw new LhsError('invalid_argument', error.message, { hint: reason });
      }
    }),
  );

/** `no row sha=4d1a62: did you mean sha=4d1a62089167?` */
export async function noRow(
  key: Coordinates,
  index: IndexDescription,
  backend: Searched,
): Promise<string> {
  const parts = [...(key.partition ?? []), ...key.identifier];
  const text = parts.map(({ name, value }) => [name, value].map(encodeURIComponent).join('='));
  const { key: meant, reason } = await meantBy(text.join(), index, backend);
  const hint = meant === undefined ? reason : `did you mean ${formatKey(meant)}?`;
  return `no row ${formatKey(key)}${hint === undefined ? '' : `: ${hint}`}`;
}

async function meantBy(text: string, index: IndexDescription, backend: Searched) {
  const { meantKey } = await import('@lakehouse-search/mcp');
  return meantKey(text, index, { backend, call: {} });
}
