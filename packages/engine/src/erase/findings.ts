import { join, relative } from 'node:path';
import type { ErasureRemain, ErasureScope } from '@lakehouse-search/contract';

type Counts = { -readonly [K in keyof ErasureScope]: ErasureScope[K] };

/** Remains that are listed; a run and a check stop listing after so many. */
const MOST_REMAINS = 10_000;

/** What a check finds while it goes through the places. */
export class Findings {
  readonly remains: ErasureRemain[] = [];
  readonly notes: string[] = [];
  readonly examined: Counts = {
    generations: 0,
    commits: 0,
    segments: 0,
    documents: 0,
    cache_entries: 0,
    saved_queries: 0,
    history_lines: 0,
    job_records: 0,
    backups: 0,
    snapshots: 0,
    texts: 0,
    files: 0,
    bytes: 0,
  };
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  add(remain: ErasureRemain): void {
    if (this.remains.length < MOST_REMAINS) this.remains.push(remain);
    else if (this.remains.length === MOST_REMAINS) this.note('there are more remains than listed');
  }

  /** Adds a sentence once. */
  note(sentence: string): void {
    if (!this.notes.includes(sentence)) this.notes.push(sentence);
  }

  /** A path as reports show it: relative to the data folder. */
  shown(folder: string, name = ''): string {
    return relative(this.#dataDir, join(folder, name));
  }
}
