import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { LakeError } from '../base/errors.ts';
import { type FileStore, localFiles } from '../base/files/file-store.ts';
import { type JsonValue, parseJson } from '../base/json.ts';
import { JsonNode } from '../base/json-node.ts';
import { LIMITS } from '../base/limits.ts';
import { parseTableMetadata, type TableMetadata } from './table-metadata.ts';

const inflate = promisify(gunzip);

/** Whether a file name is one of a table metadata file: `*.metadata.json`, gzipped or not. */
export function isMetadataFileName(name: string): boolean {
  return name.endsWith('.metadata.json') || name.endsWith('.metadata.json.gz');
}

function invalid(file: string, what: string, cause?: unknown): LakeError {
  return new LakeError('metadata_invalid', `table metadata "${file}" ${what}`, { file, cause });
}

async function unzip(bytes: Buffer, file: string): Promise<Buffer> {
  const gzipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!gzipped) return bytes;
  try {
    return await inflate(bytes, { maxOutputLength: LIMITS.metadataBytes });
  } catch (error) {
    throw invalid(file, `cannot be unzipped (${(error as Error).message})`, error);
  }
}

function parse(text: string, file: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw invalid(file, `is not whole JSON (${(error as Error).message})`, error);
  }
}

/**
 * Table metadata from the bytes of a metadata file, plain or gzipped (the content decides, not the
 * name).
 */
export async function metadataFromBytes(bytes: Buffer, file: string): Promise<TableMetadata> {
  const text = new TextDecoder().decode(await unzip(bytes, file));
  return metadataOf(parse(text, file), file);
}

/** Table metadata from its JSON, as though it came from `file`. */
export function metadataOf(json: JsonValue, file: string): TableMetadata {
  return parseTableMetadata(new JsonNode(json, '', file));
}

/**
 * Reads and parses a metadata file. Throws metadata_invalid if it is missing, truncated or
 * breaks the specification.
 */
export async function readMetadataFile(
  path: string,
  store: FileStore = localFiles,
): Promise<TableMetadata> {
  const bytes = await store.read(path, 'metadata_invalid', LIMITS.metadataBytes);
  return metadataFromBytes(bytes, path);
}
