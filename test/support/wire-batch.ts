import type { ChangeBatch, CheckpointState } from '@lakehouse-search/contract';
import type { TypedBatch, TypedPart } from '@lakehouse-search/contract/internal';
import type { SourceTable } from '@lakehouse-search/lake';
import { encodePart } from './encode-part.ts';

/** A change batch as it comes out of JSON. Its parts are an array. */
export function wireBatch(batch: TypedBatch): ChangeBatch {
  const parts = [...(batch.parts as Iterable<TypedPart>)];
  const encoded = parts.map(encodePart);
  return JSON.parse(JSON.stringify({ version: 1, ...batch, parts: encoded })) as ChangeBatch;
}

/** The same with parts that come one by one. */
export function streamedBatch(batch: TypedBatch): ChangeBatch {
  const { parts, ...rest } = wireBatch(batch);
  return { ...rest, parts: oneByOne(parts as Exclude<typeof parts, AsyncIterable<unknown>>) };
}

async function* oneByOne<T>(parts: readonly T[]): AsyncGenerator<T> {
  yield* parts;
}

/** A batch that replaces all rows of a checkpoint by those of a snapshot, as other programs send. */
export async function replacingBatch(
  table: SourceTable,
  checkpoint: CheckpointState,
  snapshotId: bigint,
): Promise<TypedBatch> {
  const { files } = await table.files(snapshotId);
  const gone = checkpoint.files.map(({ path }): TypedPart => {
    return { kind: 'removed', path, positions: null };
  });
  const scan = table.scan({ snapshotId, columns: checkpoint.columns });
  const rows = await Array.fromAsync(scan, (batch): TypedPart => ({ kind: 'rows', batch }));
  const { sequenceNumber } = table.snapshot(snapshotId);
  return {
    table_uuid: checkpoint.table_uuid,
    from: checkpoint.snapshot_id,
    to: {
      snapshot_id: String(snapshotId),
      sequence: String(sequenceNumber),
      schema: checkpoint.schema,
      files: files.map(({ data, deletes }) => ({
        path: data.path,
        records: data.recordCount,
        sequence: String(data.dataSequence),
        deletes: deletes.map((file) =>
          file.kind === 'vector'
            ? { path: file.path, offset: file.contentOffset, length: file.contentSize }
            : { path: file.path },
        ),
      })),
    },
    parts: [...gone, ...rows],
  };
}
