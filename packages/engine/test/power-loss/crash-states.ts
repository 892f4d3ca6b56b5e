/**
 * States in which a power loss may leave a disk, in the manner of ALICE (Pillai et al., "All File
 * Systems Are Not Created Equal", OSDI 2014). The power goes after some event of a trace; what was
 * fsynced is there, and of the rest:
 *
 *   ordered  as ext4 with data=ordered: any fsync makes all earlier changes of names safe; of the
 *            later ones a prefix is there. A file holds a prefix of its bytes, cut at a sector.
 *   posix    only what POSIX promises: a change of names is safe once its own folder is fsynced; of
 *            the others any subset is there. Each sector that was not fsynced is there, is zeros or
 *            is garbage, whatever the file's length says.
 */
import type { Disk, DiskEvent, DiskNode, DiskTrace, NameChange } from './disk-trace.ts';

export type DiskModel = 'ordered' | 'posix';
export type Random = (below: number) => number;

const SECTOR = 512;

/** The last state that was acknowledged within the first `prefix` events; 0 before the first. */
export function acknowledgedBy(events: readonly DiskEvent[], prefix: number): number {
  let state = 0;
  for (const event of events.slice(0, prefix))
    if (event.kind === 'acknowledge') state = event.state;
  return state;
}

/** One state of the disk after a power loss behind the first `prefix` events of a trace. */
export function crashState(
  trace: DiskTrace,
  prefix: number,
  model: DiskModel,
  random: Random,
): Disk {
  const events = trace.events.slice(0, prefix);
  const disk = new Map<number, DiskNode>(trace.base);
  const folders = new Map<number, Map<string, number>>();
  for (const [node, content] of trace.base) {
    if (!(content instanceof Uint8Array)) folders.set(node, new Map(content));
    else if (isWritten(events, node)) {
      disk.set(node, bytesOf(events, node, model, random, content));
    }
  }
  const keeps = model === 'ordered' ? orderedNames(events, random) : posixNames(events, random);
  events.forEach((event, at) => {
    if (event.kind !== 'names') return;
    const { set, unset, born } = event;
    if (born === 'folder' && set !== null) folders.set(set.node, new Map());
    if (born === 'file' && set !== null)
      disk.set(set.node, bytesOf(events, set.node, model, random));
    if (!keeps(event, at)) return;
    const names = folders.get(event.folder);
    if (unset !== null) names?.delete(unset);
    if (set !== null) names?.set(set.name, set.node);
  });
  for (const [node, names] of folders) disk.set(node, names);
  return disk;
}

type Keeps = (change: NameChange, at: number) => boolean;

function orderedNames(events: readonly DiskEvent[], random: Random): Keeps {
  const safe = events.findLastIndex(({ kind }) => kind === 'fsync') + 1;
  const cut = safe + random(events.length - safe + 1);
  return (_, at) => at < cut;
}

function posixNames(events: readonly DiskEvent[], random: Random): Keeps {
  const safe = new Map<number, number>();
  events.forEach((event, at) => {
    if (event.kind === 'fsync') safe.set(event.node, at);
  });
  const mood = random(4);
  return ({ folder }, at) => {
    if (at < (safe.get(folder) ?? -1)) return true;
    return mood === 0 ? false : mood === 1 ? true : random(2) === 0;
  };
}

const isWritten = (events: readonly DiskEvent[], node: number): boolean =>
  events.some((event) => event.kind === 'write' && event.node === node);

/** A file's bytes; `base`: those that were safe before the first event. All writes append. */
function bytesOf(
  events: readonly DiskEvent[],
  node: number,
  model: DiskModel,
  random: Random,
  base: Uint8Array = new Uint8Array(),
): Uint8Array {
  const parts: Uint8Array[] = [base];
  let safe = base.length;
  for (const event of events) {
    if (event.kind === 'write' && event.node === node) parts.push(event.bytes);
    if (event.kind === 'fsync' && event.node === node) {
      safe = parts.reduce((sum, { length }) => sum + length, 0);
    }
  }
  const written = Buffer.concat(parts);
  if (safe === written.length) return written;
  return model === 'ordered' ? cutAt(written, safe, random) : torn(written, safe, random);
}

/** The bytes up to a sector's edge behind the safe ones, to none or all of the others. */
function cutAt(written: Uint8Array, safe: number, random: Random): Uint8Array {
  const mood = random(4);
  if (mood === 0) return written.slice(0, safe);
  if (mood === 1) return written;
  const edges = Math.ceil((written.length - safe) / SECTOR);
  const edge = (Math.floor(safe / SECTOR) + random(edges + 1)) * SECTOR;
  return written.slice(0, Math.min(Math.max(edge, safe), written.length));
}

/**
 * Cut, or whole in length with zeros or garbage from some sector on, or in sectors here and there.
 */
function torn(written: Uint8Array, safe: number, random: Random): Uint8Array {
  const mood = random(6);
  if (mood < 3) return cutAt(written, safe, random);
  const bytes = written.slice();
  const from = mood === 5 ? safe : cutAt(written, safe, random).length;
  for (let at = from; at < bytes.length; ) {
    const end = Math.min((Math.floor(at / SECTOR) + 1) * SECTOR, bytes.length);
    if (mood !== 5 || random(2) === 0) spoil(bytes.subarray(at, end), mood === 3, random);
    at = end;
  }
  return bytes;
}

function spoil(bytes: Uint8Array, zeros: boolean, random: Random): void {
  if (zeros) bytes.fill(0);
  else for (let i = 0; i < bytes.length; i++) bytes[i] = random(256);
}
