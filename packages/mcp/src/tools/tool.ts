import type { IndexDescription, IndexSummary, JsonObject } from '@lakehouse-search/contract';
import type { Arguments } from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';

/** The indexes that a caller can use. */
export interface Served {
  readonly indexes: readonly IndexSummary[];
  /** Present if there is one alone: then no tool has the argument `index`. */
  readonly only?: IndexDescription;
}

/** What a tool found: for programs, and as a text. */
export interface ToolAnswer {
  readonly structured: JsonObject;
  readonly text: string;
}

/** What an answer depends on besides the arguments with the names of fields. */
export interface ToolCall {
  readonly indexes: readonly IndexDescription[];
  /** The arguments as they were sent. */
  readonly call: JsonObject;
  /** Remarks on them. */
  readonly notes: readonly string[];
}

/** A tool that reads. */
export interface AgentTool {
  readonly name: string;
  readonly title: string;
  /** What a model reads to choose the tool. */
  describe(served: Served): string;
  readonly input: Arguments;
  readonly required: readonly string[];
  /** JSON Schema of the structured response. */
  readonly output: JsonObject;
  /** Checks the arguments and runs. Throws `LhsError`. */
  run(input: unknown, context: AgentContext): Promise<ToolAnswer>;
}

/** A JSON Schema of an object. Hosts may pass it to a model with each tool: it only has types. */
export const objectSchema = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
});

export const TEXT: JsonObject = { type: 'string' };
export const WHOLE: JsonObject = { type: 'integer' };
export const FLAG: JsonObject = { type: 'boolean' };
/** An array: its items have no schema, which would cost tokens in each list of tools. */
const ARRAY: JsonObject = { type: 'array' };
export const TEXTS = ARRAY;
/** The note on counts that lack those of a shard. */
export const PART_MISSING = 'part of the index did not answer';
export const SNAPSHOT: JsonObject = { type: ['string', 'null'] };
export const ANY_OBJECT: JsonObject = { type: 'object' };
export const OBJECTS = ARRAY;
/** The parts of a response that can go on. */
export const PAGE_SCHEMA: JsonObject = { truncated: FLAG, continuation: TEXT };
