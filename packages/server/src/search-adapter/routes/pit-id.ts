import { LhsError } from '@lakehouse-search/contract';
import { noSearchContext } from '../base/engine-error.ts';
import { SEARCHED } from '../base/served-index.ts';

/** A point in time of one index, as our service knows it. */
export interface KnownPit {
  readonly index: string;
  readonly pit: string;
}

/** The id of points in time as clients send it: it names the indexes too. */
export const pitIdOf = (pits: readonly KnownPit[]): string =>
  Buffer.from(JSON.stringify(pits.map(({ index, pit }) => [index, pit]))).toString('base64url');

/** What an id names; undefined: it is none of ours. */
export function readPitId(id: string): readonly KnownPit[] | undefined {
  const parts = decoded(id);
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > SEARCHED) return undefined;
  const pits = (parts as unknown[]).map(pitOf);
  return pits.every((pit) => pit !== undefined) ? pits : undefined;
}

function pitOf(part: unknown): KnownPit | undefined {
  if (!Array.isArray(part) || part.length !== 2) return undefined;
  const [index, pit] = part as unknown[];
  return typeof index === 'string' && typeof pit === 'string' ? { index, pit } : undefined;
}

/** The JSON in an id; undefined if there is none. */
export function decoded(id: string): unknown {
  try {
    return JSON.parse(Buffer.from(id, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** An error of a search with a point in time; one that is gone has its own error. */
export function contextMissing(error: unknown, id: string): unknown {
  return error instanceof LhsError && error.code === 'not_found' ? noSearchContext(id) : error;
}
