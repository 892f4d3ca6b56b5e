import {
  type Backend,
  LhsError,
  type SearchMode,
  type SearchResponse,
} from '@lakehouse-search/contract';
import type { OutputFormat } from '../output/output-target.ts';
import type { AnswerShapes } from '../output/write-answer.ts';
import type { Style } from '../terminal/style.ts';
import { skippedFacets } from './facet-lines.ts';
import { hitTable } from './hit-rows.ts';
import { remarks } from './meaning-lines.ts';
import {
  type ModeRequest,
  modeRequest,
  refuseIdle,
  searchByMode,
  withMarks,
} from './mode-request.ts';
import { nothingFound, nothingNear, resultLines } from './result-lines.ts';
import type { SearchFlags } from './search-flags.ts';

const PARTIAL_EXIT = 6;

/** Where a response goes, and where remarks on it do. */
export interface SearchPlace {
  readonly format: OutputFormat;
  readonly style: Style;
  readonly width: number;
  err(...lines: readonly string[]): void;
}

/** A search of any mode, presented in the shape that a format needs. */
export async function runSearch(
  backend: Backend,
  mode: SearchMode,
  index: string,
  text: string | undefined,
  flags: SearchFlags,
  place: SearchPlace,
): Promise<AnswerShapes> {
  refuseIdle(mode, flags);
  const search = await modeRequest(mode, index, text, flags);
  return presentSearch(backend, search, place, (answer) => exitWhenPartial(answer, flags));
}

/**
 * Sends a request when a shape of its response is wanted. Lines contain the remarks on a response;
 * with rows they go to standard error. Throws invalid_argument for facets in a format of rows.
 */
export function presentSearch(
  backend: Backend,
  search: ModeRequest,
  { format, style, width, err }: SearchPlace,
  check: (answer: SearchResponse) => void = () => {},
): AnswerShapes {
  const { index, facets } = search.request;
  const answerOf = async (request: ModeRequest): Promise<SearchResponse> => {
    const answer = await searchByMode(backend, request);
    check(answer);
    err(...skippedFacets(answer));
    return answer;
  };
  return {
    async lines() {
      const description = await backend.describeIndex({ index });
      const answer = await answerOf(withMarks(search));
      if (answer.total > 0) return resultLines(answer, search, description, style, width);
      if (search.mode !== 'lexical') return nothingNear(answer, description.index, style, width);
      return nothingFound(await backend.clauseCounts(search.request), description.index);
    },
    wire: () => answerOf(search),
    async table() {
      if (facets !== undefined) {
        throw new LhsError('invalid_argument', `--format ${format} has rows of hits, no facets`, {
          hint: 'lhs index facets writes facets as rows; --format json has both',
        });
      }
      const answer = await answerOf(search);
      err(...remarks(answer, style, width));
      return hitTable(answer, search, await backend.describeIndex({ index }));
    },
  };
}

/** Sets exit code 6 for a partial response if `--fail-on-partial` is given. */
export function exitWhenPartial({ partial }: SearchResponse, flags: SearchFlags): void {
  if (partial && flags['fail-on-partial']) process.exitCode = PARTIAL_EXIT;
}
