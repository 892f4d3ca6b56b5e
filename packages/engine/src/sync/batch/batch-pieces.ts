import { setImmediate as turn } from 'node:timers/promises';
import type { Batch } from '@lakehouse-search/lake';
import { selectRows } from '@lakehouse-search/lake/internal';
import { refuseAborted } from '../../source/source-errors.ts';

/**
 * Texts that are indexed in one go: 4 MiB take some 0.1 s, in which the process hears no signal.
 */
const PIECE_BYTES = 4 * 1024 * 1024;

/**
 * A batch in pieces of whole rows: the batch itself where its texts are short, else pieces of about
 * 4 MiB of text. Between pieces other work gets its turn. Throws interrupted once `signal` is
 * aborted.
 */
export async function* piecesOf(batch: Batch, signal?: AbortSignal): AsyncGenerator<Batch> {
  const bytes = batch.columns.reduce(
    (sum, column) => sum + (column.kind === 'utf8' ? column.bytes.length : 0),
    0,
  );
  if (bytes <= PIECE_BYTES || batch.rows === 1) {
    yield batch;
    return;
  }
  for (let from = 0; from < batch.rows; ) {
    const to = endOfPiece(batch, from);
    yield selectRows(
      batch,
      Int32Array.from({ length: to - from }, (_, i) => from + i),
    );
    from = to;
    await turn();
    refuseAborted(signal);
  }
}

/** The row after the last one of the piece that begins at `from`. */
function endOfPiece({ columns, rows }: Batch, from: number): number {
  let bytes = 0;
  for (let row = from; row < rows; row++) {
    for (const column of columns) {
      if (column.kind === 'utf8') bytes += column.offsets[row + 1] - column.offsets[row];
    }
    if (bytes > PIECE_BYTES) return Math.max(row, from + 1);
  }
  return rows;
}
