import { readBlocks } from '../../segment/cold-blocks.ts';
import { hotName } from '../../segment/cool.ts';
import type { SegmentEntry } from '../../segment/entry.ts';
import type { Directory } from '../../storage/directory.ts';
import { readFramed } from '../../storage/frame.ts';
import type { StoredObject } from './fetch-blocks.ts';

/** The objects of the cold files of segments, by their names while they are hot. */
export function coldObjects(
  directory: Directory,
  segments: readonly SegmentEntry[],
): ReadonlyMap<string, StoredObject> {
  return new Map(segments.flatMap((entry) => [...objectsOf(directory, entry)]));
}

function* objectsOf(
  directory: Directory,
  { cold, components, window }: SegmentEntry,
): Generator<[string, StoredObject]> {
  const blocks = components.find(({ kind }) => kind === 'blocks');
  if (cold === undefined || blocks === undefined) return;
  const { place, prefix } = cold;
  const { block, files } = readBlocks({
    bytes: readFramed(directory, blocks.file, 'blocks', blocks),
  });
  for (const component of components) {
    const { kind, field, length, resident } = component;
    if (resident === undefined) continue;
    const { file, block: blockBytes = block, ...where } = files[`${kind}/${field}`];
    const object = { place, key: prefix + file, length, blockBytes, ...where, window };
    yield [hotName(component), object];
  }
}
