import { registeredDefinition } from '@lakehouse-search/engine/internal';
import { parseDocument } from 'yaml';

/** The definition of a part of an index: only these shards are held. */
export function withOnly(definition: string, ordinals: readonly number[]): string {
  const document = parseDocument(definition, { uniqueKeys: false });
  document.setIn(['sharding', 'only'], [...ordinals]);
  return document.toString();
}

/** The definition of a node that holds all shards, whatever it held before. */
export function withAll(definition: string): string {
  const { shards = 1 } = registeredDefinition(definition);
  return withOnly(definition, [...Array(shards).keys()]);
}

/** The definition of a node that holds these of all shards. */
export const partOf = (definition: string, ordinals: readonly number[], shards: number): string =>
  ordinals.length === shards ? definition : withOnly(definition, ordinals);

/** The definition of the whole index of which a node holds a part. */
export function withoutOnly(definition: string): string {
  const document = parseDocument(definition, { uniqueKeys: false });
  if (!document.hasIn(['sharding', 'only'])) return definition;
  document.deleteIn(['sharding', 'only']);
  return document.toString();
}
