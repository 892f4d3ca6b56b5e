import type { Backend, SearchRequest } from '@lakehouse-search/engine';
import type { Style } from '../terminal/style.ts';
import { nothingFound, resultLines } from './result-lines.ts';

/** Searches, and says what was found as people read it, or which clause found nothing. */
export async function answerLines(
  backend: Backend,
  request: SearchRequest,
  style: Style,
  columns: number,
): Promise<string[]> {
  const index = await backend.describeIndex({ index: request.index });
  const answer = await backend.search({ ...request, highlight: { max_fragments: 1 } });
  if (answer.total === 0) return nothingFound(await backend.clauseCounts(request), index.index);
  return resultLines(answer, request, index, style, columns);
}
