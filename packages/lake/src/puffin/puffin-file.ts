/**
 * A Puffin file (Iceberg format/puffin-spec.md):
 *
 *   "PFA1", blob, blob, ..., "PFA1", footer JSON, u32 LE length of the JSON, u32 LE flags, "PFA1"
 *
 * Flag bit 0: the footer JSON is LZ4-compressed. This writer never sets it.
 */
import { encodeDeletionVector } from './deletion-vector.ts';
import type { PositionSet } from './position-set.ts';

const MAGIC = Uint8Array.of(0x50, 0x46, 0x41, 0x31);
const POSITION_FIELD_ID = 2_147_483_645;

/** Location of a vector in a file of `encodeVectorFile`, for its manifest entry. */
export interface WrittenVector {
  readonly referencedDataFile: string;
  readonly contentOffset: number;
  readonly contentSize: number;
  readonly cardinality: number;
}

/**
 * The bytes of a Puffin file with one deletion vector for each data file (paths as the manifests
 * record them), and the location of each vector in it. `createdBy` names the application.
 */
export function encodeVectorFile(
  vectors: readonly { readonly dataFile: string; readonly positions: PositionSet }[],
  createdBy: string,
): { readonly bytes: Uint8Array; readonly entries: readonly WrittenVector[] } {
  const blobs: Uint8Array[] = [];
  const entries: WrittenVector[] = [];
  let offset = MAGIC.length;
  for (const { dataFile, positions } of vectors) {
    const blob = encodeDeletionVector(positions);
    blobs.push(blob);
    entries.push({
      referencedDataFile: dataFile,
      contentOffset: offset,
      contentSize: blob.length,
      cardinality: positions.size,
    });
    offset += blob.length;
  }
  const footer = new TextEncoder().encode(footerJson(entries, createdBy));
  const tail = new Uint8Array(8);
  new DataView(tail.buffer).setUint32(0, footer.length, true);
  const parts = [MAGIC, ...blobs, MAGIC, footer, tail, MAGIC];
  return { bytes: new Uint8Array(Buffer.concat(parts)), entries };
}

function footerJson(entries: readonly WrittenVector[], createdBy: string): string {
  return JSON.stringify({
    blobs: entries.map((entry) => ({
      type: 'deletion-vector-v1',
      fields: [POSITION_FIELD_ID],
      'snapshot-id': -1,
      'sequence-number': -1,
      offset: entry.contentOffset,
      length: entry.contentSize,
      properties: {
        'referenced-data-file': entry.referencedDataFile,
        cardinality: String(entry.cardinality),
      },
    })),
    properties: { 'created-by': createdBy },
  });
}
