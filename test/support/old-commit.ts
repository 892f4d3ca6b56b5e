import type { Commit } from '../../packages/engine/src/index/commits/commit.ts';
import { type DeleteRef, deleteName } from '../../packages/engine/src/index/commits/data-files.ts';
import type { Directory } from '../../packages/engine/src/storage/directory.ts';
import { writeFramed } from '../../packages/engine/src/storage/frame.ts';

/** Writes a commit as format 1 or 2 had it: all data files in the JSON (docs/format.md). */
export function writeOldCommit(directory: Directory, commit: Commit, format: 1 | 2): void {
  const { format: _, files, checkpoint, skipped, ...rest } = commit;
  const all = files.all();
  const deletes: DeleteRef[] = [];
  const numbers = new Map<string, number>();
  for (const ref of all.flatMap(({ entries }) => entries.flatMap((entry) => entry.deletes))) {
    if (!numbers.has(deleteName(ref))) numbers.set(deleteName(ref), deletes.push(ref) - 1);
  }
  const states = all.flatMap(({ entries }, file) =>
    entries.map((entry) => {
      return { file, ...entry, deletes: entry.deletes.map((ref) => numbers.get(deleteName(ref))) };
    }),
  );
  const places = all.flatMap(({ skipped: positions }, file) =>
    positions === undefined ? [] : [{ file, positions }],
  );
  const { data_files: _data, delete_files: _deletes, ...former } = checkpoint ?? {};
  const old = {
    ...(format === 2 && { format }),
    ...rest,
    files: files.paths(),
    checkpoint: checkpoint && { ...former, file_set: { deletes, files: states } },
    ...(skipped && { skipped: { files: places, first: skipped.first } }),
  };
  directory.sync();
  writeFramed(directory, 'commit.tmp', 'commit', [Buffer.from(JSON.stringify(old))]);
  directory.rename('commit.tmp', 'commit');
}
