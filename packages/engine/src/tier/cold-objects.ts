import type { Component, SegmentEntry } from '../segment/entry.ts';
import type { StoredObject } from './fetch-blocks.ts';

/** The objects of a segment by the name of the local file: those of a hot segment are none. */
export function coldObjects(entry: SegmentEntry): ReadonlyMap<string, StoredObject> {
  const cold = entry.components.filter(({ resident }) => resident !== undefined);
  return new Map(cold.map((component) => [component.file, objectOf(entry, component)]));
}

/** The object of a cold component: the file had this name before it was cooled. */
export function objectOf({ cold, window = null }: SegmentEntry, { file, length }: Component) {
  const { place = '', prefix = '' } = cold ?? {};
  const key = prefix + file.slice(0, file.lastIndexOf('.'));
  return { place, key, length, window };
}
