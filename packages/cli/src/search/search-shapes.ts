import { type Backend, LhsError, type SearchRequest } from '@lakehouse-search/engine';
import type { OutputFormat } from '../output/output-target.ts';
import type { AnswerShapes } from '../output/write-answer.ts';
import type { Style } from '../terminal/style.ts';
import { answerLines } from './answer-lines.ts';
import { hitTable } from './hit-rows.ts';

/**
 * Searches, and gives the answer in the shape that a format needs. Throws invalid_argument where
 * facets are asked for in a format that has rows of hits only.
 */
export async function searchShapes(
  backend: Backend,
  request: SearchRequest,
  format: OutputFormat,
  style: Style,
  columns: number,
): Promise<AnswerShapes> {
  if (format === 'table') {
    const lines = await answerLines(backend, request, style, columns);
    return only({ lines: () => lines });
  }
  if (format !== 'json' && request.facets !== undefined) {
    throw new LhsError('invalid_argument', `--format ${format} has rows of hits, no facets`, {
      hint: 'lhs index facets writes facets as rows; --format json has both',
    });
  }
  const answer = await backend.search(request);
  if (format === 'json') return only({ wire: () => answer });
  const index = await backend.describeIndex({ index: request.index });
  return only({ table: () => hitTable(answer, request, index) });
}

function only(shapes: Partial<AnswerShapes>): AnswerShapes {
  const none = (): never => {
    throw new LhsError('internal', 'an answer in a shape that was not asked for');
  };
  return { lines: none, wire: none, table: none, ...shapes };
}
