import type { JsonObject, TableLag } from '@lakehouse-search/contract';

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
