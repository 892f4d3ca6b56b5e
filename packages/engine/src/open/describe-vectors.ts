import type { VectorFieldDescription } from '@lakehouse-search/contract';
import { DEFAULT_MODEL, DEFAULT_MODEL_DIMS } from '../embed/embedder.ts';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import type { Definition, VectorDefinition } from '../schema/definition.ts';
import type { OpenIndex } from './open-index.ts';

/** The VECTOR fields of an index as it was built, or as its definition wants them before that. */
export function describeVectors(
  definition: Definition,
  open: OpenIndex | null,
): readonly VectorFieldDescription[] {
  if (open === null) {
    return definition.fields.flatMap(({ name, vector }) =>
      vector === undefined ? [] : [planned(name, vector)],
    );
  }
  const { snapshot } = open;
  return snapshot.commit.fields.flatMap(({ id, name, vector }) =>
    vector === undefined ? [] : [{ name, ...vector, ...contents(snapshot, id) }],
  );
}

/** Before it is built nothing is known of the table's columns. */
function planned(name: string, vector: VectorDefinition): VectorFieldDescription {
  const { model = DEFAULT_MODEL, similarity, index } = vector;
  const dims = vector.dims ?? DEFAULT_MODEL_DIMS;
  return { name, dims, similarity, index, model: { name: model }, documents: 0, bytes: 0 };
}

function contents({ segments }: IndexSnapshot, field: number) {
  let documents = 0;
  let bytes = 0;
  for (const segment of segments) {
    documents += segment.vectorDocs(field);
    for (const component of segment.entry.components) {
      if (component.field === field) bytes += component.length;
    }
  }
  return { documents, bytes };
}
