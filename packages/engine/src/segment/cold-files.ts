import { ColdFile, collectDemands } from '../storage/cold-file.ts';
import { corrupt, type FramedFile } from '../storage/frame.ts';
import type { Verification } from '../storage/verification.ts';
import { readBlocks } from './cold-blocks.ts';
import { componentName, type SegmentEntry } from './entry.ts';

/**
 * The cold files of a segment by component; in `files` they demand what is read from then on.
 * Throws corrupt_index.
 */
export function openColdFiles(
  { id, cold, components, window }: SegmentEntry,
  files: Map<string, FramedFile>,
  path: string,
  verification: Verification,
): ReadonlyMap<string, ColdFile> {
  const blocks = files.get('blocks/-1');
  if (cold === undefined || blocks === undefined) {
    throw corrupt(`${path}/${id}`, 'a cold segment has no list of blocks');
  }
  verification.check(blocks);
  const { block, files: lists } = readBlocks(blocks.payload);
  const found = new Map<string, ColdFile>();
  for (const { resident, length, ...component } of components) {
    const name = componentName(component);
    const framed = files.get(name);
    if (resident === undefined || framed === undefined) continue;
    const { file: object, block: blockBytes = block, ...where } = lists[name];
    const key = cold.prefix + object;
    const at = { place: cold.place, key, length, blockBytes, ...where, window };
    const own = new ColdFile(at, framed.file, resident);
    const { offset: start } = framed.file;
    const demand = (at: number, bytes: number) => own.demand(at - start, bytes);
    const need = (at: number, bytes: number) => own.need(at - start, bytes);
    const has = (at: number, bytes: number) => own.has(at - start, bytes);
    // Without hints: pages that left the memory would be holes again.
    const { pages: _, ...file } = framed.file;
    const { pages: __, ...payload } = framed.payload;
    files.set(name, { ...framed, file, payload: { ...payload, demand, need, has } });
    found.set(name, own);
  }
  return found;
}

/** Demands all of several files together. */
export function demandWhole(files: readonly ColdFile[]): void {
  collectDemands(() => {
    for (const file of files) file.demandAll();
  });
  for (const file of files) file.demandAll();
}
