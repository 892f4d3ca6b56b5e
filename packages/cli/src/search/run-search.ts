import type { Backend, SearchMode, SearchResponse } from '@lakehouse-search/contract';
import type { OutputFormat } from '../output/output-target.ts';
import type { AnswerShapes } from '../output/write-answer.ts';
import type { Style } from '../terminal/style.ts';
import { skippedFacets } from './facet-lines.ts';
import { type MeaningFlags, refuseIdle, searchQuestion } from './meaning-flags.ts';
import { remarks } from './meaning-lines.ts';
import { exitWhenPartial } from './partial-exit.ts';
import type { SearchFlags } from './search-flags.ts';
import { searchShapes } from './search-shapes.ts';

/** Where an answer goes, and where remarks on it do. */
export interface SearchPlace {
  readonly format: OutputFormat;
  readonly style: Style;
  readonly width: number;
  err(...lines: readonly string[]): void;
}

/**
 * A search of any mode in the shape that a format needs. Lines say themselves what an arm could not
 * answer; beside rows it is said on standard error.
 */
export async function runSearch(
  backend: Backend,
  mode: SearchMode,
  index: string,
  text: string | undefined,
  flags: SearchFlags & MeaningFlags,
  place: SearchPlace,
): Promise<AnswerShapes> {
  const { format, style, width, err } = place;
  refuseIdle(mode, flags);
  const question = await searchQuestion(mode, index, text, flags);
  const tell = (answer: SearchResponse): void => {
    exitWhenPartial(answer, flags);
    err(...skippedFacets(answer));
    if (format === 'table' || format === 'json') return;
    const said = remarks(answer, style, width);
    if (said.length > 0) err(...said);
  };
  return searchShapes(backend, question, format, style, width, tell);
}
