import { LhsError } from '@lakehouse-search/contract';
import { builtAs, readCommit } from '../index/commits/commit.ts';
import { IndexSnapshot } from '../index/index-snapshot.ts';
import { analyzersOf } from '../open/definition-analyzers.ts';
import type { Generation } from '../open/index-folder.ts';
import { notBuilt, type OpenDirectory, type OpenIndex, tableName } from '../open/open-index.ts';
import type { Definition } from '../schema/definition.ts';
import { createMapping } from '../schema/mapping.ts';
import { readStoredSchema } from '../schema/stored-schema.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import { SegmentReader } from '../segment/segment-reader.ts';
import type { Directory } from '../storage/directory.ts';
import { Verification } from '../storage/verification.ts';

/** What can be opened of an index, and what could not be. */
export interface DamagedIndex {
  readonly open: OpenIndex;
  readonly faults: readonly string[];
}

/**
 * Opens what is left of a generation whose files do not all open, for comparing: segments with
 * keys, locators and live documents at least; the others are left out. `isLost`: of a segment
 * nothing else is read. Throws corrupt_index where the commit itself cannot be read.
 */
export function openDamaged(
  generation: Generation,
  definition: Definition,
  openDirectory: OpenDirectory,
  isLost: (entry: SegmentEntry) => boolean = () => false,
): DamagedIndex {
  const directory = openDirectory(generation.path);
  const commit = readCommit(directory);
  if (commit === null || commit.checkpoint === null) throw notBuilt(definition);
  const schema = readStoredSchema(commit.checkpoint.schema);
  const analyzerOf = analyzersOf(definition.analyzers);
  const built = builtAs(commit);
  const mapping = createMapping(definition, schema, tableName(definition), analyzerOf, built);
  const verification = new Verification(directory);
  const faults: string[] = [];
  const segments = commit.segments.flatMap((entry) =>
    openPart(directory, entry, verification, { faults, isLost: isLost(entry) }),
  );
  const snapshot = new IndexSnapshot(generation.number, commit, segments, verification);
  return { open: { version: 'damaged', snapshot, mapping }, faults };
}

const NEEDED: ReadonlySet<string> = new Set(['core', 'keys', 'hashes', 'locators', 'live']);

/** The whole segment, or the part that a comparison needs, or nothing. */
function openPart(
  directory: Directory,
  entry: SegmentEntry,
  verification: Verification,
  { faults, isLost }: { readonly faults: string[]; readonly isLost: boolean },
): readonly SegmentReader[] {
  const { cold: _, ...hot } = entry;
  const needed = { ...hot, components: hot.components.filter(({ kind }) => NEEDED.has(kind)) };
  for (const part of isLost ? [needed] : [entry, needed]) {
    try {
      return [SegmentReader.open(directory, part, verification)];
    } catch (error) {
      if (!(error instanceof LhsError) || error.code !== 'corrupt_index') throw error;
      const fault = `segment ${entry.id}: ${error.message}`;
      if (!faults.includes(fault)) faults.push(fault);
    }
  }
  faults.push(`segment ${entry.id} cannot be compared: its documents count as missing`);
  return [];
}
