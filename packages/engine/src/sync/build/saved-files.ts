import type { SourceState } from '@lakehouse-search/contract';
import type { Checkpoint } from '../../index/commits/commit.ts';
import type { IndexWriter } from '../../index/index-writer.ts';
import type { FileTable } from '../batch/file-table.ts';
import type { SkippedRows } from '../batch/skipped-rows.ts';

/** A build commits finished data files at most this often. */
const SAVE_MS = 60_000;

/** The build of a snapshot, as far as partial commits need it. */
export interface SavedBuild {
  readonly writer: IndexWriter;
  readonly files: FileTable;
  readonly skipped: SkippedRows;
  /** The whole snapshot. */
  readonly state: SourceState;
  /** The checkpoint of the whole snapshot. */
  readonly checkpoint: () => Checkpoint;
  /** Settles rows that share a key; returns how many were dropped. */
  readonly settle: (docs: number) => Promise<number>;
  /** Default: `SAVE_MS`. */
  readonly saveMs?: number | undefined;
}

/**
 * The data files that the partial commits of a build contain. They are committed when a file is
 * complete and the time is over, so a short build never commits before its end. A snapshot that
 * names a path twice is committed only at its end.
 */
export class SavedFiles {
  /** Paths of the files that are to be read; undefined: all. */
  readonly missing: ReadonlySet<string> | undefined;
  readonly #build: SavedBuild;
  readonly #distinct: boolean;
  #current: string | null = null;
  #savedAt = performance.now();

  constructor(build: SavedBuild) {
    this.#build = build;
    const { writer, files, state } = build;
    const paths = state.files.map(({ path }) => path);
    this.#distinct = new Set(paths).size === paths.length;
    const { checkpoint, files: saved } = writer.lastCommit;
    if (checkpoint === null) return;
    const isMissing = (path: string) => saved.at(files.numberOf(path)).entries.length === 0;
    this.missing = new Set(paths.filter(isMissing));
  }

  /** A batch of this file comes next: the files before it are complete. */
  async reading(path: string, docs: number): Promise<void> {
    const former = this.#current;
    this.#current = path;
    if (former !== null && former !== path) await this.#save(path, docs);
  }

  /** All files are complete. */
  async end(docs: number): Promise<void> {
    if (this.#current !== null) await this.#save(null, docs);
  }

  async #save(before: string | null, docs: number): Promise<void> {
    const { writer, files, skipped, state, checkpoint, settle, saveMs = SAVE_MS } = this.#build;
    if (!this.#distinct || performance.now() - this.#savedAt < saveMs) return;
    const droppedDuplicates = await settle(docs);
    const at = state.files.findIndex(({ path }) => path === before);
    const complete = at < 0 ? state.files : state.files.slice(0, at);
    const paths = new Set(complete.map(({ path }) => path));
    writer.commit({
      checkpoint: { ...checkpoint(), partial: true },
      files: files.at(state.files, skipped, paths),
      droppedDuplicates,
      skipped: skipped.committed(),
    });
    this.#savedAt = performance.now();
  }
}
