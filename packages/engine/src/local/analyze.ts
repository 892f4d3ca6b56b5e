import { analyzeToTokens } from '../analysis/tokens.ts';
import type { Backend, TokenInfo } from '../backend.ts';
import { LhsError } from '../base/errors.ts';
import { analyzersOf, fieldAnalyzer } from '../registry/definition-analyzers.ts';
import type { LocalIndexes } from './local-indexes.ts';

/** The tokens of a text, by a field's analyzer or a named one. Throws invalid_argument. */
export function analyzeLocal(
  indexes: LocalIndexes,
  request: Parameters<Backend['analyze']>[0],
): { readonly tokens: readonly TokenInfo[] } {
  const { index, field, analyzer, text } = request;
  if ((field === undefined) === (analyzer === undefined)) {
    throw new LhsError('invalid_argument', 'name a field or an analyzer, one of the two');
  }
  const definition =
    field === undefined && index === undefined ? null : indexes.resolve(index).definition;
  const name = field === undefined ? analyzer! : fieldAnalyzer(definition!, field);
  const analyzerOf = analyzersOf(definition?.analyzers ?? []);
  return { tokens: analyzeToTokens(analyzerOf(name), text) };
}
