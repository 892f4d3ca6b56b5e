/** What a build and its threads send each other. */
import type { AnalyzerDefinition } from '../schema/definition.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import type { FieldPlan, TextPlan } from '../schema/field-plan.ts';
import type { Component } from '../segment/entry.ts';
import type { SegmentShare } from '../segment/segment-share.ts';
import type { PlainError } from '../shard/bytes.ts';

/** A field without its analyzer, which the thread builds itself from its name. */
export type PlainPlan = Omit<FieldPlan, 'inverted'> & {
  readonly inverted:
    | null
    | { readonly kind: 'keyword' }
    | (Omit<TextPlan, 'analyzer'> & { readonly name: string });
};

/** What a build thread is started with. */
export interface BuildSettings {
  /** The folder of the generation. */
  readonly path: string;
  readonly plans: readonly PlainPlan[];
  readonly analyzers: readonly AnalyzerDefinition[];
  readonly share: SegmentShare;
}

/** To a build thread. It handles one message after the other. */
export type ToBuildThread =
  | { readonly kind: 'add'; readonly buffer: string; readonly block: DocumentBlock; bytes: number }
  | { readonly kind: 'finish'; readonly buffer: string; readonly id: string }
  | { readonly kind: 'clear' };

/**
 * From a build thread. `added`: the documents of a message were added; `bytes` are those of the
 * message, `held` the memory of all documents that the thread has.
 */
export type FromBuildThread =
  | { readonly kind: 'added'; readonly bytes: number; readonly held: number }
  | { readonly kind: 'finished'; readonly id: string; readonly components: readonly Component[] }
  | { readonly kind: 'failed'; readonly error: PlainError };
