import { availableParallelism } from 'node:os';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { usableMemory } from '@lakehouse-search/lake/internal';

/** Builds of more rows are divided among processes. */
const LARGE_ROWS = 1_000_000;
/** Memory of a task unless a flag names it. */
const TASK_BYTES = 2 ** 30;

/** Processes for tasks of so many bytes: at most one per core, in half of the memory. */
export const taskProcesses = (
  memoryBytes = TASK_BYTES,
  cores = availableParallelism(),
  usableBytes = usableMemory(),
): number => Math.max(1, Math.min(cores, Math.floor(usableBytes / 2 / memoryBytes)));

/** Whether processes build an index unless flags say otherwise: it has storage and many rows. */
export async function isLargeBuild(
  backend: Pick<LocalEngine, 'describeIndex' | 'planBuild'>,
  request: Parameters<LocalEngine['planBuild']>[0],
  processes: number,
): Promise<boolean> {
  if (processes === 1) return false;
  const { published } = await backend.describeIndex({ index: request.index });
  if (published === undefined) return false;
  const tasks = await backend.planBuild(request);
  return tasks.reduce((sum, { rows }) => sum + rows, 0) > LARGE_ROWS;
}
