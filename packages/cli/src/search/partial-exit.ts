import type { SearchResponse } from '@lakehouse-search/contract';
import type { MeaningFlags } from './meaning-flags.ts';

const PARTIAL_EXIT = 6;

/** The command ends with 6 where an arm did not answer and `--fail-on-partial` asks for that. */
export function exitWhenPartial({ partial }: SearchResponse, flags: MeaningFlags): void {
  if (partial && flags['fail-on-partial']) process.exitCode = PARTIAL_EXIT;
}
