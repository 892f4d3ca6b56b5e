import { runSteps } from '../../packages/engine/src/base/steps.ts';
import { type InvertedInput, mergingInverted } from '../../packages/engine/src/inverted/merge.ts';
import type { EncoderOptions } from '../../packages/engine/src/inverted/write/term-encoder.ts';
import { inMemory } from '../../packages/engine/src/storage/spill.ts';

/** The merged component, in parts. */
export const mergeInverted = (
  inputs: readonly InvertedInput[],
  docs: number,
  options?: EncoderOptions,
): Uint8Array[] => inMemory(runSteps(mergingInverted(inputs, docs, options)));
