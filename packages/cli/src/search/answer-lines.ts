import type { Backend, SearchResponse } from '@lakehouse-search/contract';
import type { Style } from '../terminal/style.ts';
import { ask, type SearchQuestion, withMarks } from './question.ts';
import { nothingFound, nothingNear, resultLines } from './result-lines.ts';

/** Searches, and says what was found as people read it, or which clause found nothing. */
export async function answerLines(
  backend: Backend,
  question: SearchQuestion,
  style: Style,
  columns: number,
  tell: (answer: SearchResponse) => void = () => {},
): Promise<string[]> {
  const index = await backend.describeIndex({ index: question.request.index });
  const answer = await ask(backend, withMarks(question));
  tell(answer);
  if (answer.total > 0) return resultLines(answer, question, index, style, columns);
  if (question.mode !== 'lexical') return nothingNear(answer, index.index, style, columns);
  return nothingFound(await backend.clauseCounts(question.request), index.index);
}
