import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { currentGeneration } from '../../packages/engine/src/open/index-folder.ts';

/** The folder of the live generation of the only index of a small lake. */
export function generationOf(lakeFolder: string): string {
  const indexes = join(lakeFolder, 'data', 'indexes');
  const [uuid] = readdirSync(indexes);
  return currentGeneration(join(indexes, uuid))!.path;
}
