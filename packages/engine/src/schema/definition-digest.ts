import { createHash } from 'node:crypto';
import type { Definition } from './definition.ts';

/** SHA-256 of a definition without its text and the shards that are held, hexadecimal. */
export function definitionDigest(definition: Definition): string {
  const { text: _, only: __, ...whole } = definition;
  return createHash('sha256').update(JSON.stringify(whole)).digest('hex');
}

/** The digest of what a definition says about rows: not where the index is kept. */
export const rowsDigest = (definition: Definition): string =>
  definitionDigest({ ...definition, storage: undefined, replicas: undefined });
