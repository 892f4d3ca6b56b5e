import { parseDocument } from 'yaml';

/** The definition of a part of an index: only these shards are held. */
export function withOnly(definition: string, ordinals: readonly number[]): string {
  const document = parseDocument(definition);
  document.setIn(['sharding', 'only'], [...ordinals]);
  return document.toString();
}
