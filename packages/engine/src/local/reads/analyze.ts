import type { AnalyzeRequest, CallContext, TokenInfo } from '@lakehouse-search/contract';
import { checkAnalyzeRequest } from '@lakehouse-search/contract/internal';
import { analyzeToTokens } from '../../analysis/tokens.ts';
import { analyzersOf, fieldAnalyzer } from '../../open/definition-analyzers.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';

/**
 * The tokens of a text, by a field's analyzer or a named one. Throws invalid_argument or
 * limit_exceeded.
 */
export function analyzeLocal(
  indexes: LocalIndexes,
  request: AnalyzeRequest,
  call: CallContext,
): { readonly tokens: readonly TokenInfo[] } {
  const { index, field, analyzer, text } = checkAnalyzeRequest(request);
  const definition =
    field === undefined && index === undefined ? null : accessible(indexes, index, call).definition;
  const name = field === undefined ? analyzer! : fieldAnalyzer(definition!, field);
  const analyzerOf = analyzersOf(definition?.analyzers ?? []);
  return { tokens: analyzeToTokens(analyzerOf(name), text) };
}
