import type { WriteWatch } from '../write-progress.ts';
import type { WriterSession } from '../writer-session.ts';
import type { StagedInput } from './input.ts';

const MAX_NAMED = 3;

/**
 * Reports the lines that DuckDB has left out in its last scan of each file. `missing`: how many
 * records were counted and not read.
 */
export async function noteSkipped(
  session: WriterSession,
  { files }: StagedInput,
  missing: number,
  watch: WriteWatch | undefined,
): Promise<void> {
  const found = await session.rows(
    `SELECT s.file_path, e.line, any_value(e.error_message), e.csv_line
     FROM reject_errors e JOIN reject_scans s USING (scan_id, file_id)
     WHERE scan_id = (SELECT max(scan_id) FROM reject_scans)
     GROUP BY ALL ORDER BY 1, 2`,
  );
  const count = Math.max(missing, found.length);
  if (count === 0) return;
  const first = found.slice(0, MAX_NAMED).map(([path, line, reason]) => ({
    file: files.find((file) => file.path === path)?.shown ?? String(path),
    line: Number(line),
    reason: String(reason).replace(/\.$/, '').toLowerCase(),
  }));
  watch?.onNote?.({ note: 'skipped_lines', count, first });
}
