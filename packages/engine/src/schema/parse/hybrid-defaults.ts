import {
  FUSION_DEFAULTS,
  type FusionDefaults,
  REQUEST_LIMITS,
} from '@lakehouse-search/contract/internal';
import { readChoice, readMap, readWhole } from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

/** `hybrid` of a definition: how hybrid searches fuse their arms. */
export function parseHybrid(tree: Tree, report: Report): FusionDefaults | undefined {
  const map = readMap(tree, 'hybrid', ['fusion', 'weight', 'depth'], report);
  if (map === undefined) return undefined;
  const fusion =
    map.fusion && readChoice(map.fusion, 'hybrid.fusion', ['rrf', 'scores'] as const, report);
  const weight = map.weight && readWeight(map.weight, report);
  const most = REQUEST_LIMITS.nearestDocs;
  const depth = map.depth && readWhole(map.depth, 'hybrid.depth', 1, most, report);
  return Object.freeze({
    fusion: fusion ?? FUSION_DEFAULTS.fusion,
    ...(weight === undefined ? {} : { weight }),
    depth: depth ?? FUSION_DEFAULTS.depth,
  });
}

/** The weight of the semantic arm, from 0 to 1 with at most three decimals. */
function readWeight(tree: Tree, report: Report): number | undefined {
  const value = tree.kind === 'scalar' ? tree.value : undefined;
  if (typeof value === 'number' && value >= 0 && value <= 1) {
    if (Math.abs(value * 1000 - Math.round(value * 1000)) < 1e-6) return value;
  }
  const written = tree.kind === 'scalar' ? `, not ${tree.source}` : '';
  report.error(tree.at, `hybrid.weight must be a number from 0 to 1, as 0.25${written}`);
  return undefined;
}
