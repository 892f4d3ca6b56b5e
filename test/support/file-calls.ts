/**
 * Stands between the engine and node:fs: every call on files below a folder is shown to an
 * observer, which may note it, refuse it, do half of it, or end the process. The exports of node:fs
 * are replaced (`syncBuiltinESMExports`), so nothing in the engine knows. What native code does
 * (SQLite, DuckDB, mapped reads) does not pass here; strace sees that (kill-campaign.test.ts).
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, sep } from 'node:path';

/** What is asked. The first row changes something on the disk, the second only looks. */
export type CallKind =
  | ('create' | 'write' | 'fsync' | 'rename' | 'unlink' | 'rmdir' | 'mkdir' | 'link')
  | ('open' | 'read' | 'list');

/** A call that is about to be made. */
export interface FileCall {
  readonly kind: CallKind;
  readonly path: string;
  /** Of a rename or link: the new name. */
  readonly to?: string;
  /** Of a write: the bytes that are to be written. */
  readonly bytes?: Uint8Array;
  /** Of a write: writes that many of the bytes, really. */
  readonly part?: (bytes: number) => void;
}

/**
 * Sees each call before it is made. Returns how many bytes a write may take (a short write), or
 * nothing; throws to refuse the call.
 */
export type Observer = (call: FileCall) => number | undefined;

/** True where the call changes something. */
export const changes = ({ kind }: FileCall): boolean => !/^(open|read|list)$/.test(kind);

/** An error as the system makes it. */
export function systemError(code: string, { kind, path }: FileCall): Error {
  return Object.assign(new Error(`${code}: injected, ${kind} '${path}'`), { code });
}

const original = { ...fs };
type Flags = string | number | undefined;

const creates = (flags: Flags): boolean =>
  typeof flags === 'number' ? (flags & fs.constants.O_CREAT) !== 0 : /[wa]/.test(flags ?? 'r');

/** Shows all calls below `root` to `observer` until the function that it returns is called. */
export function interceptFiles(root: string, observer: Observer): () => void {
  const open = new Map<number, string>();
  const inside = (path: unknown): path is string =>
    typeof path === 'string' && (path === root || path.startsWith(root + sep));
  const replaced = {
    openSync(path: string, flags?: Flags, mode?: number): number {
      if (inside(path)) observer({ kind: creates(flags) ? 'create' : 'open', path });
      const descriptor = original.openSync(path, flags ?? 'r', mode);
      if (inside(path)) open.set(descriptor, path);
      return descriptor;
    },
    closeSync(descriptor: number): void {
      open.delete(descriptor);
      original.closeSync(descriptor);
    },
    writeSync(
      descriptor: number,
      data: string | Uint8Array,
      offset = 0,
      length?: number,
      position: number | null = null,
    ): number {
      const path = open.get(descriptor);
      const all = typeof data === 'string' ? Buffer.from(data) : data;
      const bytes = all.subarray(offset, length === undefined ? undefined : offset + length);
      const write = (part: Uint8Array) =>
        original.writeSync(descriptor, part, 0, part.length, position);
      if (path === undefined) return write(bytes);
      const part = (most: number): void => {
        write(bytes.subarray(0, most));
      };
      return write(bytes.subarray(0, observer({ kind: 'write', path, bytes, part })));
    },
    writeFileSync(place: string | number, data: string | Uint8Array, options?: object): void {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      const flag = (options as { flag?: string } | undefined)?.flag ?? 'w';
      const descriptor = typeof place === 'number' ? place : replaced.openSync(place, flag, 0o644);
      try {
        for (let at = 0; at < bytes.length; ) at += replaced.writeSync(descriptor, bytes, at);
      } finally {
        if (typeof place !== 'number') replaced.closeSync(descriptor);
      }
    },
    fsyncSync(descriptor: number): void {
      const path = open.get(descriptor);
      if (path !== undefined) observer({ kind: 'fsync', path });
      original.fsyncSync(descriptor);
    },
    renameSync(from: string, to: string): void {
      if (inside(from)) observer({ kind: 'rename', path: from, to });
      original.renameSync(from, to);
    },
    linkSync(from: string, to: string): void {
      if (inside(from)) observer({ kind: 'link', path: from, to });
      original.linkSync(from, to);
    },
    unlinkSync(path: string): void {
      if (inside(path)) observer({ kind: 'unlink', path });
      original.unlinkSync(path);
    },
    mkdirSync(path: string, options?: { recursive?: boolean }): string | undefined {
      if (!inside(path)) return original.mkdirSync(path, options) as string | undefined;
      if (options?.recursive && original.existsSync(path)) return undefined;
      const above = options?.recursive ? replaced.mkdirSync(dirname(path), options) : undefined;
      observer({ kind: 'mkdir', path });
      original.mkdirSync(path);
      return above ?? path;
    },
    rmSync(path: string, options?: { recursive?: boolean; force?: boolean }): void {
      const stat = original.lstatSync(path, { throwIfNoEntry: false });
      if (!inside(path) || (stat === undefined && options?.force)) {
        original.rmSync(path, options);
        return;
      }
      if (!stat?.isDirectory()) {
        replaced.unlinkSync(path);
        return;
      }
      for (const name of original.readdirSync(path)) replaced.rmSync(join(path, name), options);
      observer({ kind: 'rmdir', path });
      original.rmdirSync(path);
    },
    readSync(descriptor: number, ...given: unknown[]): number {
      const path = open.get(descriptor);
      if (path !== undefined) observer({ kind: 'read', path });
      return Reflect.apply(original.readSync, fs, [descriptor, ...given]);
    },
    readFileSync(path: unknown, ...given: unknown[]): unknown {
      if (inside(path)) observer({ kind: 'read', path });
      return Reflect.apply(original.readFileSync, fs, [path, ...given]);
    },
    readdirSync(path: unknown, ...given: unknown[]): unknown {
      if (inside(path)) observer({ kind: 'list', path });
      return Reflect.apply(original.readdirSync, fs, [path, ...given]);
    },
  };
  const names = Object.keys(replaced) as (keyof typeof replaced)[];
  Object.assign(fs, replaced);
  syncBuiltinESMExports();
  return () => {
    for (const name of names) Object.assign(fs, { [name]: original[name] });
    syncBuiltinESMExports();
  };
}
