import { runSteps } from '../../packages/engine/src/base/steps.ts';
import { buildingGraph } from '../../packages/engine/src/vector/graph/graph-builder.ts';
import type { Graph } from '../../packages/engine/src/vector/graph/graph-format.ts';
import { GRAPH_SETTINGS } from '../../packages/engine/src/vector/graph/graph-settings.ts';
import type { VectorReader } from '../../packages/engine/src/vector/vector-reader.ts';

/** The graph over all vectors of a reader. */
export const buildGraph = (reader: VectorReader, settings = GRAPH_SETTINGS): Graph =>
  runSteps(buildingGraph(reader, settings, null));
