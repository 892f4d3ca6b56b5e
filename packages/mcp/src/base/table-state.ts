import {
  type IndexDescription,
  type JsonObject,
  LhsError,
  type TableLag,
} from '@lakehouse-search/contract';
import type { AgentContext } from './agent-backend.ts';

/** What an answer says of the state that it shows. */
export interface TableState extends TableLag {
  readonly snapshot: string | null;
}

/** The schema of the state in a structured response. */
export const STATE_SCHEMA: JsonObject = {
  snapshot: { type: ['string', 'null'] },
  lag: { type: ['integer', 'null'] },
};

/** The state in a structured response. */
export const stateOf = ({ snapshot, lag_snapshots: lag }: TableState): JsonObject => ({
  snapshot,
  lag,
});

/** `snapshot 12, lag 0`. */
export const stateText = ({ snapshot, lag_snapshots: lag }: TableState): string =>
  `snapshot ${snapshot ?? 'none'}, lag ${lag ?? 'unknown'}`;

/** A response with its lag: one that does not know it waits for a look at the table. */
export async function withLag<Response extends TableState>(
  response: Response,
  { index }: IndexDescription,
  { backend, call }: AgentContext,
): Promise<Response> {
  if (response.lag_snapshots !== null || response.snapshot === null) return response;
  try {
    const { lag_snapshots } = await backend.getKeys({ index, keys: [] }, call);
    return { ...response, lag_snapshots };
  } catch (error) {
    if (error instanceof LhsError) return response;
    throw error;
  }
}
