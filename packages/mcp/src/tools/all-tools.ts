import { aggregateTool } from './aggregate.ts';
import { citeCheckTool } from './cite-check.ts';
import { describeIndexTool } from './describe-index.ts';
import { hydrateTool } from './hydrate.ts';
import { listIndexesTool } from './list-indexes.ts';
import { searchTool } from './search.ts';
import { similarTool } from './similar.ts';
import type { AgentTool } from './tool.ts';

/** All tools, in the order in which a client lists them. */
export const TOOLS: readonly AgentTool[] = Object.freeze([
  searchTool,
  similarTool,
  hydrateTool,
  aggregateTool,
  listIndexesTool,
  describeIndexTool,
  citeCheckTool,
]);
