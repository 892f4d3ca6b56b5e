/**
 * What a program asked of a disk, in order: the material from which crash-states.ts makes the
 * states in which a power loss may leave the disk. Folders are nodes that map names to nodes; node
 * 0 is the folder that is looked at, and its own entry is taken to be safe.
 */

/** A node's content: bytes of a file, or the names in a folder. */
export type DiskNode = Uint8Array | ReadonlyMap<string, number>;
/** A whole disk by node number. */
export type Disk = ReadonlyMap<number, DiskNode>;

export const ROOT = 0;

/** A change of names in one folder: `set` and `unset` happen together or not at all. */
export interface NameChange {
  readonly kind: 'names';
  readonly folder: number;
  readonly set: { readonly name: string; readonly node: number } | null;
  readonly unset: string | null;
  /** The node is new: a file without bytes, or an empty folder. */
  readonly born: 'file' | 'folder' | null;
}

/**
 * One thing that was asked of the disk. `acknowledge`: the caller was told that a state is safe.
 */
export type DiskEvent =
  | NameChange
  | { readonly kind: 'write'; readonly node: number; readonly bytes: Uint8Array }
  | { readonly kind: 'fsync'; readonly node: number }
  | { readonly kind: 'acknowledge'; readonly state: number };

/** Records events over a disk that was safe when it began. */
export class DiskTrace {
  readonly base: Disk;
  readonly events: DiskEvent[] = [];
  /** Names as the running program sees them. */
  readonly #folders = new Map<number, Map<string, number>>();
  #next: number;

  constructor(base: Disk = new Map([[ROOT, new Map()]])) {
    this.base = base;
    this.#next = Math.max(...base.keys()) + 1;
    for (const [node, content] of base) {
      if (!(content instanceof Uint8Array)) this.#folders.set(node, new Map(content));
    }
  }

  /** The node of a path (names from the root on), or undefined. */
  find(path: readonly string[]): number | undefined {
    let node: number | undefined = ROOT;
    for (const name of path) {
      node = node === undefined ? undefined : this.#folders.get(node)?.get(name);
    }
    return node;
  }

  create(folder: number, name: string, born: 'file' | 'folder' = 'file'): number {
    const node = this.#next++;
    if (born === 'folder') this.#folders.set(node, new Map());
    this.#names(folder, { set: { name, node }, unset: null, born });
    return node;
  }

  write(node: number, bytes: Uint8Array): void {
    this.events.push({ kind: 'write', node, bytes: bytes.slice() });
  }

  fsync(node: number): void {
    this.events.push({ kind: 'fsync', node });
  }

  rename(folder: number, from: string, to: string): void {
    const node = this.#folders.get(folder)?.get(from);
    if (node === undefined) throw new Error(`nothing is named "${from}"`);
    this.#names(folder, { set: { name: to, node }, unset: from, born: null });
  }

  /** Gives a node another name, in this folder or another one. */
  link(node: number, folder: number, name: string): void {
    this.#names(folder, { set: { name, node }, unset: null, born: null });
  }

  unlink(folder: number, name: string): void {
    this.#names(folder, { set: null, unset: name, born: null });
  }

  /** The names in a folder, as the running program sees them. */
  list(folder: number): readonly (readonly [string, number])[] {
    return [...(this.#folders.get(folder) ?? [])];
  }

  acknowledge(state: number): void {
    this.events.push({ kind: 'acknowledge', state });
  }

  #names(folder: number, change: Omit<NameChange, 'kind' | 'folder'>): void {
    const names = this.#folders.get(folder);
    if (names === undefined) throw new Error(`node ${folder} is no folder`);
    if (change.unset !== null) names.delete(change.unset);
    if (change.set !== null) names.set(change.set.name, change.set.node);
    this.events.push({ kind: 'names', folder, ...change });
  }
}

/** The files of a disk by path ("a/b"), and its folders ("a"). */
export function pathsOf(disk: Disk): { files: Map<string, Uint8Array>; folders: string[] } {
  const files = new Map<string, Uint8Array>();
  const folders: string[] = [];
  const visit = (node: number, path: string): void => {
    const content = disk.get(node);
    if (content === undefined) throw new Error(`"${path}" names a node that is not there`);
    if (content instanceof Uint8Array) {
      files.set(path, content);
      return;
    }
    if (path !== '') folders.push(path);
    for (const [name, child] of content) visit(child, path === '' ? name : `${path}/${name}`);
  };
  visit(ROOT, '');
  return { files, folders };
}

/** A disk that holds these files (by path) and empty folders. */
export function diskOf(
  files: ReadonlyMap<string, Uint8Array>,
  folders: readonly string[] = [],
): Disk {
  const disk = new Map<number, Uint8Array | Map<string, number>>([[ROOT, new Map()]]);
  const folderAt = (path: readonly string[]): Map<string, number> => {
    let names = disk.get(ROOT) as Map<string, number>;
    for (const name of path) {
      let node = names.get(name);
      if (node === undefined) {
        node = disk.size;
        disk.set(node, new Map());
        names.set(name, node);
      }
      names = disk.get(node) as Map<string, number>;
    }
    return names;
  };
  for (const folder of folders) folderAt(folder.split('/'));
  for (const [path, bytes] of files) {
    const parts = path.split('/');
    const folder = folderAt(parts.slice(0, -1));
    const node = disk.size;
    disk.set(node, bytes);
    folder.set(parts.at(-1) ?? '', node);
  }
  return disk;
}
