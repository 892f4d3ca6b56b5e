import { LakeError } from '../base/errors.ts';
import { normalizeRecorded } from '../base/files/table-files.ts';
import type { DataFile, DeleteFile } from '../metadata/file-set.ts';
import { admits, usableBounds } from '../schema/bounds.ts';
import type { Value } from '../schema/type.ts';

/**
 * Which delete files apply to a data file (format/spec.md, "Scan Planning"):
 * - a deletion vector: names the data file, and is not older; it takes the place of that file's
 *   position deletes;
 * - a position delete: not older, and names the file, or is in the same spec and partition with
 *   bounds that admit its path (bounds that are one text name the file, or the start of its path);
 * - an equality delete: strictly newer than the data, in the same spec and partition, or in an
 *   unpartitioned spec (global).
 */
export interface DeleteIndex {
  /**
   * The delete files that apply to `file`: equality deletes by sequence number first, then
   * positions or the vector.
   */
  deletesFor(file: DataFile): readonly DeleteFile[];
}

type Position = DeleteFile & { readonly kind: 'position' };
type Vector = DeleteFile & { readonly kind: 'vector' };

/**
 * Makes the index. `unpartitioned`: whether a spec id has all rows in one partition. Throws
 * manifest_invalid.
 */
export function buildDeleteIndex(
  deletes: readonly DeleteFile[],
  unpartitioned: (specId: number) => boolean,
): DeleteIndex {
  const vectors = new Map<string, Vector>();
  const byPath = new Map<string, Position[]>();
  const byStart = new PathStarts();
  const byPartition = new Map<string, Position[]>();
  const equalities = new Map<string, DeleteFile[]>();
  for (const file of deletes) {
    if (file.kind === 'vector') addVector(vectors, file);
    else if (file.kind === 'equality') {
      push(equalities, unpartitioned(file.specId) ? GLOBAL : partitionKey(file), file);
    } else if (file.referencedDataFile !== null) {
      push(byPath, normalizeRecorded(file.referencedDataFile), file);
    } else if (file.pathBounds && file.pathBounds.lower === file.pathBounds.upper) {
      byStart.add(file.pathBounds.lower, file);
    } else push(byPartition, partitionKey(file), file);
  }
  for (const list of equalities.values()) list.sort(bySequence);
  return {
    deletesFor: (file) => {
      const path = normalizeRecorded(file.path);
      const partition = partitionKey(file);
      const vector = vectors.get(path);
      const own = [
        ...newer(equalities.get(GLOBAL), file.dataSequence),
        ...newer(equalities.get(partition), file.dataSequence),
      ];
      if (vector !== undefined && file.dataSequence <= vector.dataSequence) return [...own, vector];
      const positions = [
        ...(byPath.get(path) ?? []),
        ...byStart.of(path),
        ...(byPartition.get(partition) ?? []),
      ];
      return [...own, ...positions.filter((p) => reaches(p, file))];
    },
  };
}

const GLOBAL = 'global';

/**
 * Position deletes whose two bounds on file_path are one text: the path of their only data file,
 * or the first bytes that all their paths have if the writer cuts bounds.
 */
class PathStarts {
  readonly #files = new Map<string, Position[]>();
  readonly #lengths = new Set<number>();

  add(start: string, file: Position): void {
    const path = normalizeRecorded(start);
    push(this.#files, path, file);
    this.#lengths.add(path.length);
  }

  of(path: string): readonly Position[] {
    const starts = [...this.#lengths].map((length) => path.slice(0, length));
    return [...new Set(starts)].flatMap((start) => this.#files.get(start) ?? []);
  }
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [item]);
  else list.push(item);
}

function addVector(vectors: Map<string, Vector>, vector: Vector): void {
  const path = normalizeRecorded(vector.referencedDataFile);
  const other = vectors.get(path);
  if (other !== undefined) {
    throw new LakeError(
      'manifest_invalid',
      `data file "${path}" has two deletion vectors, in "${other.path}" and in "${vector.path}"`,
      { file: vector.path },
    );
  }
  vectors.set(path, vector);
}

function bySequence(a: DeleteFile, b: DeleteFile): number {
  return a.dataSequence < b.dataSequence ? -1 : a.dataSequence > b.dataSequence ? 1 : 0;
}

function newer(sorted: readonly DeleteFile[] | undefined, sequence: bigint): readonly DeleteFile[] {
  if (sorted === undefined) return [];
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]!.dataSequence > sequence) high = middle;
    else low = middle + 1;
  }
  return sorted.slice(low);
}

function reaches(position: Position, file: DataFile): boolean {
  if (file.dataSequence > position.dataSequence) return false;
  const bounds = position.pathBounds ?? null;
  if (bounds === null || position.referencedDataFile !== null) return true;
  const spelling = spellingOf(file.path);
  // `file:/a` and `file:///a` are one file but sort apart: bounds say nothing about another
  // spelling.
  if (spellingOf(bounds.lower) !== spelling || spellingOf(bounds.upper) !== spelling) return true;
  return admits(usableBounds(bounds.lower, bounds.upper), file.path);
}

function spellingOf(path: string): string {
  return /^([A-Za-z][A-Za-z0-9+.-]*:)?\/*/.exec(path)![0];
}

/**
 * One text for each (spec, partition tuple); equal tuples have equal texts, NaN and null included.
 */
export function partitionKey(file: {
  readonly specId: number;
  readonly partition: readonly Value[];
}): string {
  return `${file.specId}:${file.partition.map(valueKey).join(',')}`;
}

function valueKey(value: Value): string {
  if (value === null) return '-';
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Uint8Array) return `x${Buffer.from(value).toString('hex')}`;
  return Object.is(value, -0) ? '0' : String(value);
}
