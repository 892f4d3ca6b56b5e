import { LIMITS } from '../../base/limits.ts';
import { DEFAULT_MODEL, DEFAULT_MODEL_DIMS } from '../../embed/embedder.ts';
import {
  type FieldDefinition,
  SIMILARITIES,
  VECTOR_INDEXES,
  VECTOR_SEARCHES,
  type VectorDefinition,
} from '../definition.ts';
import { defaultDimsFault } from '../vector-plan.ts';
import {
  type KnownEntries,
  readChoice,
  readDescription,
  readFlag,
  readText,
  readWhole,
} from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

/** Keys of a field that only VECTOR has. */
export const VECTOR_KEYS = ['dims', 'model', 'similarity', 'index', 'search'] as const;
/** Keys of other fields that a VECTOR field has no use for. */
const FOREIGN_KEYS = ['indexed', 'fast', 'cached', 'analyzer', 'format'] as const;

type VectorEntries = KnownEntries<
  | (typeof VECTOR_KEYS)[number]
  | (typeof FOREIGN_KEYS)[number]
  | 'description'
  | 'sensitive'
  | 'max_bytes'
  | 'source'
>;

/**
 * Keys of a VECTOR field besides name and source. Faults are reported; what could be read is
 * returned all the same.
 */
export function parseVectorSettings(
  tree: Tree,
  map: VectorEntries,
  name: string,
  report: Report,
): Omit<FieldDefinition, 'name' | 'source'> {
  for (const key of FOREIGN_KEYS) {
    const foreign = map[key];
    if (foreign !== undefined) report.error(foreign.at, `${key} is not for VECTOR ("${name}")`);
  }
  const maxBytes = map.max_bytes && readWhole(map.max_bytes, 'max_bytes', 1, 1_073_741_824, report);
  const description = map.description && readDescription(map.description, report);
  return {
    type: 'VECTOR',
    ...(description === undefined ? {} : { description }),
    indexed: false,
    fast: false,
    cached: false,
    sensitive: readFlag(map.sensitive, 'sensitive', false, report),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    vector: readVector(tree, map, name, report),
  };
}

function readVector(
  tree: Tree,
  map: VectorEntries,
  name: string,
  report: Report,
): VectorDefinition {
  const dims = map.dims && readWhole(map.dims, 'dims', 1, LIMITS.vectorDims, report);
  const model = map.model && readText(map.model, 'model', report);
  if (model === DEFAULT_MODEL && dims !== undefined && dims !== DEFAULT_MODEL_DIMS) {
    report.error(map.dims!.at, defaultDimsFault(dims));
  }
  if (model !== undefined && model !== DEFAULT_MODEL && map.dims === undefined) {
    report.error(tree.at, `"${name}" needs dims: how many numbers its model gives for a text`);
  }
  const similarity =
    map.similarity && readChoice(map.similarity, 'similarity', SIMILARITIES, report);
  const index = map.index && readChoice(map.index, 'index', VECTOR_INDEXES, report);
  const search = map.search && readChoice(map.search, 'search', VECTOR_SEARCHES, report);
  return {
    ...(dims === undefined ? {} : { dims }),
    ...(model === undefined ? {} : { model }),
    similarity: similarity ?? 'cosine',
    index: index ?? 'auto',
    ...(search === undefined ? {} : { search }),
  };
}

/** Reports the keys of VECTOR fields in a field of another type. */
export function refuseVectorKeys(
  map: KnownEntries<(typeof VECTOR_KEYS)[number]>,
  type: string,
  name: string,
  report: Report,
): void {
  for (const key of VECTOR_KEYS) {
    const foreign = map[key];
    if (foreign !== undefined)
      report.error(foreign.at, `${key} is for VECTOR; "${name}" is ${type}`);
  }
}
