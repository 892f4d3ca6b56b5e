import { type BuildTask, coveredBy, type TaskResult, taskName } from './lines.ts';
import type { PlannedBuild } from './plan-tasks.ts';
import { inShares } from './split-files.ts';
import { unmerged } from './take-results.ts';

/** Documents that a merge takes, about, unless a request names the number of merges. */
const DOCS_PER_MERGE = 8_388_608;

/** The index whose segments are merged. */
export type MergedBuild = Pick<
  PlannedBuild,
  'definition' | 'baseDir' | 'home' | 'cache' | 'memoryBytes'
>;

/**
 * Tasks that merge the segments of results, of about as many documents each, in the order of the
 * tasks; a result without others to merge with has none.
 */
export function planMerges(
  build: MergedBuild,
  results: readonly TaskResult[],
  tasks?: number,
): readonly BuildTask[] {
  const sized = unmerged(results)
    .toSorted((a, b) => a.task - b.task)
    .map((result) => ({ result, rows: result.docs }));
  const docs = sized.reduce((sum, { rows }) => sum + rows, 0);
  const groups = inShares(sized, docs, tasks ?? Math.ceil(docs / DOCS_PER_MERGE));
  return groups
    .map((group) => group.map(({ result }) => result))
    .filter((group) => group.length > 1)
    .map((group) => mergeOf(build, group));
}

function mergeOf(
  { definition, baseDir, home, cache, memoryBytes }: MergedBuild,
  results: readonly TaskResult[],
): BuildTask {
  const covers = results.flatMap(coveredBy).sort((a, b) => a - b);
  const rows = results.reduce((sum, { docs }) => sum + docs, 0);
  return {
    ...taskName(results[0]),
    ...{ task: covers[0], covers, results, rows, splits: [] },
    ...{ definition: definition.text, base_dir: baseDir, storage: home.place },
    ...{ cache, memory_bytes: memoryBytes },
  };
}
