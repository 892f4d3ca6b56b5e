import type { Steps } from '../base/steps.ts';
import type { Directory } from '../storage/directory.ts';
import { openFramed } from '../storage/frame.ts';
import { buildingGraph, type FormerGraph } from '../vector/graph/graph-builder.ts';
import { packGraph } from '../vector/graph/graph-format.ts';
import { GRAPH_SETTINGS, wantsGraph } from '../vector/graph/graph-settings.ts';
import { VectorReader } from '../vector/vector-reader.ts';
import type { VectorWriter } from '../vector/vector-writer.ts';
import { type Component, writeComponent } from './entry.ts';

/** Vectors that were merged, and where their slots are now: -1 dropped. */
export interface MergedVectors {
  readonly source: VectorReader | null;
  readonly slots: Int32Array;
}

/** A graph that lost a greater part of its vectors is not taken over: it has become thin. */
const MAX_DROPPED = 0.05;

/**
 * Writes the vectors of a field and, where so many profit, the graph over them; it is built over
 * the file just written, from the largest graph among what was merged. In steps.
 */
export function* writingVectors(
  directory: Directory,
  segment: string,
  field: number,
  vectors: VectorWriter,
  merged: readonly MergedVectors[] = [],
): Steps<Component[]> {
  const { count, layout } = vectors;
  const written = writeComponent(directory, segment, { kind: 'vector', field }, vectors.finish());
  if (!wantsGraph(layout.index, count)) return [written];
  const framed = openFramed(directory, written.file, 'vector', written);
  try {
    const reader = new VectorReader(framed.payload, framed.path);
    const graph = yield* buildingGraph(reader, GRAPH_SETTINGS, largestGraph(merged));
    return [
      written,
      writeComponent(directory, segment, { kind: 'graph', field }, packGraph(graph)),
    ];
  } finally {
    framed.file.release();
  }
}

function largestGraph(merged: readonly MergedVectors[]): FormerGraph | null {
  let best: FormerGraph | null = null;
  for (const { source, slots } of merged) {
    const graph = source?.graph ?? null;
    if (graph === null || graph.links !== GRAPH_SETTINGS.links) continue;
    const dropped = slots.reduce((sum, slot) => sum + (slot < 0 ? 1 : 0), 0);
    if (dropped > MAX_DROPPED * graph.count) continue;
    if (best === null || graph.count > best.graph.count) best = { graph, slots };
  }
  return best;
}
