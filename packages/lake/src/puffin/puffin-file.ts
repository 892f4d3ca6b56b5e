/**
 * A Puffin file (Iceberg format/puffin-spec.md):
 *
 *   "PFA1", blob, blob, ..., "PFA1", footer JSON, u32 LE length of the JSON, u32 LE flags, "PFA1"
 *
 * Flag bit 0: the footer JSON is LZ4-compressed. This writer never sets it; the reader refuses it
 * by name.
 */
import { LakeError } from '../base/errors.ts';
import type { RandomAccessFile } from '../base/files/random-access-file.ts';
import { LIMITS } from '../base/limits.ts';
import { encodeDeletionVector } from './deletion-vector.ts';
import type { PositionSet } from './position-set.ts';

const MAGIC = Uint8Array.of(0x50, 0x46, 0x41, 0x31);
const TAIL_BYTES = 12;
const POSITION_FIELD_ID = 2_147_483_645;

/** One blob as the footer describes it; ids of 64 bits are kept exact. */
export interface PuffinBlob {
  readonly type: string;
  readonly fields: readonly number[];
  readonly offset: number;
  readonly length: number;
  readonly compression: string | null;
  readonly properties: Readonly<Record<string, string>>;
}

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

/** The blobs that a Puffin file's footer lists. Throws `delete_file_invalid` or `unsupported`. */
export async function readPuffinFooter(file: RandomAccessFile): Promise<readonly PuffinBlob[]> {
  if (file.size < MAGIC.length * 2 + TAIL_BYTES) throw invalid(file, 'it is too short');
  const tail = await file.read(file.size - TAIL_BYTES, TAIL_BYTES);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  if (!hasMagic(tail, 8)) throw invalid(file, 'it does not end with PFA1');
  const length = view.getUint32(0, true);
  const flags = view.getUint32(4, true);
  if (flags !== 0) {
    const message = `puffin footer flags ${flags} (compressed) are not supported, expected 0`;
    throw new LakeError('unsupported', message, { file: file.path });
  }
  const start = file.size - TAIL_BYTES - length - MAGIC.length;
  if (start < MAGIC.length || length > LIMITS.puffinFooterBytes) {
    throw invalid(file, `its footer length ${length} does not fit`);
  }
  const footer = await file.read(start, MAGIC.length + length);
  if (!hasMagic(footer, 0)) throw invalid(file, 'its footer does not begin with PFA1');
  return parseFooter(file, new TextDecoder().decode(footer.subarray(MAGIC.length)));
}

function parseFooter(file: RandomAccessFile, text: string): readonly PuffinBlob[] {
  let footer: unknown;
  try {
    footer = JSON.parse(text);
  } catch (cause) {
    throw invalid(file, `its footer is not JSON (${String(cause)})`);
  }
  const blobs = isRecord(footer) ? footer.blobs : undefined;
  if (!Array.isArray(blobs)) throw invalid(file, 'its footer lists no blobs');
  return blobs.map((blob: unknown) => parseBlob(file, blob));
}

function parseBlob(file: RandomAccessFile, blob: unknown): PuffinBlob {
  if (!isRecord(blob)) throw invalid(file, 'a blob in its footer is not an object');
  const { type, fields, offset, length, properties } = blob;
  if (typeof type !== 'string') throw invalid(file, 'a blob has no type');
  if (!isOffset(offset) || !isOffset(length) || offset + length > file.size) {
    throw invalid(file, `blob range ${String(offset)} + ${String(length)} leaves the file`);
  }
  const codec = blob['compression-codec'];
  return {
    type,
    fields: Array.isArray(fields) ? fields.filter((id) => typeof id === 'number') : [],
    offset,
    length,
    compression: typeof codec === 'string' ? codec : null,
    properties: isRecord(properties) ? stringsOf(properties) : {},
  };
}

function stringsOf(record: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, String(value)]));
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasMagic(bytes: Uint8Array, at: number): boolean {
  return MAGIC.every((byte, i) => bytes[at + i] === byte);
}

function invalid(file: RandomAccessFile, what: string): LakeError {
  return new LakeError('delete_file_invalid', `puffin file is damaged: ${what}`, {
    file: file.path,
  });
}
