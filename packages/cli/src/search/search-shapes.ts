import { type Backend, LhsError, type SearchResponse } from '@lakehouse-search/contract';
import type { OutputFormat } from '../output/output-target.ts';
import type { AnswerShapes } from '../output/write-answer.ts';
import type { Style } from '../terminal/style.ts';
import { answerLines } from './answer-lines.ts';
import { hitTable } from './hit-rows.ts';
import { ask, type SearchQuestion } from './question.ts';

/**
 * Searches, and gives the answer in the shape that a format needs. Throws invalid_argument where
 * facets are asked for in a format that has rows of hits only. `tell` is called with the answer.
 */
export async function searchShapes(
  backend: Backend,
  question: SearchQuestion,
  format: OutputFormat,
  style: Style,
  columns: number,
  tell: (answer: SearchResponse) => void = () => {},
): Promise<AnswerShapes> {
  if (format === 'table') {
    const lines = await answerLines(backend, question, style, columns, tell);
    return only({ lines: () => lines });
  }
  if (format !== 'json' && question.request.facets !== undefined) {
    throw new LhsError('invalid_argument', `--format ${format} has rows of hits, no facets`, {
      hint: 'lhs index facets writes facets as rows; --format json has both',
    });
  }
  const answer = await ask(backend, question);
  tell(answer);
  if (format === 'json') return only({ wire: () => answer });
  const index = await backend.describeIndex({ index: question.request.index });
  return only({ table: () => hitTable(answer, question, index) });
}

function only(shapes: Partial<AnswerShapes>): AnswerShapes {
  const none = (): never => {
    throw new LhsError('internal', 'an answer in a shape that was not asked for');
  };
  return { lines: none, wire: none, table: none, ...shapes };
}
