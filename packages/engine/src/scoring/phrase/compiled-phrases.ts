import { arenaCode, onceAnArena } from '../../storage/arena-code.ts';
import { fillUnpackTables } from '../kernel/unpack-tables.ts';
import { PHRASE_CODE } from './kernel-code.ts';

type Code = (...values: number[]) => number;

/** The kernels of phrases: packages/engine/kernels/phrase; those of dense terms by their number. */
export interface PhraseCode extends Readonly<Record<string, Code>> {
  readonly gather: Code;
  readonly arrange: Code;
  readonly survivors: Code;
  /** (at, to, width, last): 128 deltas to documents behind `last`. */
  readonly unpackDocs: Code;
  /** The same for frequencies. */
  readonly unpackFrequencies: Code;
}

const codeOf = arenaCode(PHRASE_CODE);

/** The kernels of phrases of an arena. */
export const phraseCodeOf = onceAnArena((arena) => {
  fillUnpackTables(arena);
  return codeOf(arena) as unknown as PhraseCode;
});
