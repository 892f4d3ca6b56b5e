import type { CheckpointState } from '@lakehouse-search/contract';
import type { OpenIndex } from '../open/open-index.ts';
import { committedState, requireCheckpoint } from './source-state.ts';

/** Where an open index stands, as whoever makes change batches needs it. */
export function checkpointState({ snapshot, mapping }: OpenIndex): CheckpointState {
  const { index } = mapping.definition;
  const { table_uuid, applied = [] } = requireCheckpoint(snapshot.commit, index);
  return {
    table_uuid,
    ...committedState(snapshot.commit, index),
    applied,
    columns: mapping.columns.map(({ name }) => name),
    key_columns: mapping.keyColumns,
    index_generation: snapshot.generation,
  };
}
