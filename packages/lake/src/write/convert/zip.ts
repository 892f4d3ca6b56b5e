/**
 * ZIP archives (APPNOTE.TXT 6.3): the central directory at the end of the file lists the members,
 * stored (method 0), deflated (8) or in Zstandard (93), with ZIP64 sizes.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { LakeError } from '../../base/errors.ts';
import { writeFault } from '../../base/files/write-fault.ts';
import type { InputFile } from '../input/input-files.ts';

/** A file in an archive. */
export interface ZipMember {
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly crc: number;
  readonly packedBytes: number;
  /** Offset of its local header. */
  readonly at: number;
}

const [END, END64, MEMBER] = [0x06054b50, 0x06064b50, 0x02014b50];
const U32 = 0xffff_ffff;
const MAX_DIRECTORY_BYTES = 256 * 1024 * 1024;
const UNPACK: Readonly<Record<number, () => Transform>> = Object.freeze({
  0: () => new PassThrough(),
  8: createInflateRaw,
  93: createZstdDecompress,
});

/** The files of an archive; folders are left out. Throws invalid_argument if it is damaged. */
export async function zipMembers(file: InputFile): Promise<readonly ZipMember[]> {
  const handle = await open(file.path);
  try {
    const { size } = await handle.stat();
    const tail = await readAt(handle, Math.max(0, size - 65_600), Math.min(size, 65_600));
    let at = tail.length - 22;
    while (at >= 0 && tail.readUInt32LE(at) !== END) at--;
    if (at < 0) throw damaged(file, 'it has no directory');
    let [bytes, from] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    if (from === U32 && at >= 20) {
      const end64 = await readAt(handle, Number(tail.readBigUInt64LE(at - 12)), 56);
      if (end64.readUInt32LE(0) !== END64) throw damaged(file, 'it has no directory');
      [bytes, from] = [Number(end64.readBigUInt64LE(40)), Number(end64.readBigUInt64LE(48))];
    }
    if (from + bytes > size || bytes > MAX_DIRECTORY_BYTES) throw damaged(file, 'it is cut off');
    return membersOf(await readAt(handle, from, bytes), file);
  } catch (error) {
    throw error instanceof RangeError ? damaged(file, 'its directory is damaged') : error;
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function membersOf(directory: Buffer, file: InputFile): readonly ZipMember[] {
  const members: ZipMember[] = [];
  for (let at = 0; at < directory.length; ) {
    if (directory.readUInt32LE(at) !== MEMBER) throw damaged(file, 'its directory is damaged');
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
    const name = directory.toString('utf8', at + 46, nameEnd);
    const [packedBytes, offset] = wideSizes(directory, at, directory.subarray(nameEnd, extraEnd));
    const isEncrypted = (directory.readUInt16LE(at + 8) & 1) === 1;
    const [method, crc] = [directory.readUInt16LE(at + 10), directory.readUInt32LE(at + 16)];
    if (!name.endsWith('/')) {
      members.push({ name, method, isEncrypted, crc, packedBytes, at: offset });
    }
    at = extraEnd + directory.readUInt16LE(at + 32);
  }
  return members;
}

/** Packed size and offset; those of 32 bits that are all ones are in the ZIP64 field. */
function wideSizes(directory: Buffer, at: number, extra: Buffer): readonly [number, number] {
  const narrow = [24, 20, 42].map((from) => directory.readUInt32LE(at + from));
  let field = 0;
  while (field + 4 <= extra.length && extra.readUInt16LE(field) !== 1) {
    field += 4 + extra.readUInt16LE(field + 2);
  }
  let wide = field + 4;
  const [, packed, offset] = narrow.map((value) => {
    if (value !== U32) return value;
    wide += 8;
    return Number(extra.readBigUInt64LE(wide - 8));
  });
  return [packed, offset];
}

/** The unpacked bytes of a member. The stream fails if they do not have the member's checksum. */
async function memberBytes(file: InputFile, member: ZipMember): Promise<Readable> {
  const unpack = UNPACK[member.method];
  if (member.isEncrypted) throw damaged(file, `"${member.name}" is encrypted`);
  if (unpack === undefined) {
    throw damaged(file, `"${member.name}" is packed by method ${member.method}`);
  }
  const handle = await open(file.path);
  const header = await readAt(handle, member.at, 30).finally(() => handle.close());
  const start = member.at + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (member.packedBytes === 0) return new PassThrough().end();
  const raw = createReadStream(file.path, { start, end: start + member.packedBytes - 1 });
  const unpacked = raw.pipe(unpack());
  raw.on('error', (error) => unpacked.destroy(error));
  return unpacked;
}

/** Unpacks a member into a file. Throws invalid_argument if it is damaged, disk_full. */
export async function extractMember(
  file: InputFile,
  member: ZipMember,
  to: string,
  signal?: AbortSignal,
): Promise<void> {
  let crc = 0;
  const checked = new Transform({
    transform(part: Buffer, _, done) {
      crc = crc32(part, crc);
      done(null, part);
    },
  });
  const bytes = await memberBytes(file, member);
  await pipeline(bytes, checked, createWriteStream(to, { mode: 0o600 }), { signal }).catch(
    (error: NodeJS.ErrnoException) => {
      signal?.throwIfAborted();
      const isDisk = error.syscall !== undefined;
      throw isDisk ? writeFault(to, error) : damaged(file, `"${member.name}": ${error.message}`);
    },
  );
  if (crc !== member.crc) throw damaged(file, `"${member.name}" is damaged (its checksum differs)`);
}

function damaged({ shown, path }: InputFile, why: string): LakeError {
  return new LakeError('invalid_argument', `cannot read ${shown}: ${why}`, { file: path });
}
