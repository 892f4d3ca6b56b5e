import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { FileCall } from '../../../../test/support/file-calls.ts';
import { type Disk, type DiskTrace, diskOf } from './disk-trace.ts';

/** The files and folders below a folder, as a disk. */
export function diskBelow(root: string): Disk {
  const files = new Map<string, Uint8Array>();
  const folders: string[] = [];
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (statSync(join(root, path)).isDirectory()) folders.push(path);
    else files.set(path, readFileSync(join(root, path)));
  }
  return diskOf(files, folders);
}

/** Notes a call on files below `root` in a trace of the disk; it is about to be made. */
export function noteCall(trace: DiskTrace, root: string, call: FileCall): void {
  const [folder, name] = placeOf(trace, root, call.path);
  const node = trace.find(partsOf(root, call.path));
  const to = call.to === undefined ? '' : (partsOf(root, call.to).at(-1) ?? '');
  switch (call.kind) {
    case 'create':
      if (node === undefined) trace.create(folder, name);
      break;
    case 'mkdir':
      trace.create(folder, name, 'folder');
      break;
    case 'write':
      trace.write(node ?? missing(call), call.bytes ?? new Uint8Array());
      break;
    case 'fsync':
      trace.fsync(node ?? missing(call));
      break;
    case 'rename':
      trace.rename(folder, name, to);
      break;
    case 'link':
      noteLink(trace, root, node, call.to ?? '');
      break;
    case 'unlink':
    case 'rmdir':
      if (node !== undefined) trace.unlink(folder, name);
      break;
    default:
  }
}

/** A link whose new name is taken changes nothing; nor does one of a file that is gone. */
function noteLink(trace: DiskTrace, root: string, node: number | undefined, to: string): void {
  if (node === undefined || trace.find(partsOf(root, to)) !== undefined) return;
  const [folder, name] = placeOf(trace, root, to);
  trace.link(node, folder, name);
}

const partsOf = (root: string, path: string): string[] =>
  relative(root, path).split(sep).filter(Boolean);

function placeOf(trace: DiskTrace, root: string, path: string): readonly [number, string] {
  const parts = partsOf(root, path);
  const folder = trace.find(parts.slice(0, -1));
  if (folder === undefined) throw new Error(`"${path}" lies in a folder that nobody made`);
  return [folder, parts.at(-1) ?? ''];
}

function missing({ kind, path }: FileCall): never {
  throw new Error(`${kind} of "${path}", which nobody made`);
}
