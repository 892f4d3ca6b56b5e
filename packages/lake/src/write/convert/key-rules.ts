import { LakeError } from '../../base/errors.ts';
import { keyAt, walkJson } from './json-walk.ts';

/** Changes of keys and values, by the path of keys with `.` between them. */
export interface KeyChanges {
  /** New names of keys, by their paths in the file. */
  readonly rename: ReadonlyMap<string, string>;
  /** Paths with new names: the values there become JSON texts. */
  readonly texts: ReadonlySet<string>;
}

/** An object or array that is open and has a path of changes inside. */
interface Frame {
  /** The path of what is inside, with `.` at its end: in the file, and with new names. */
  readonly from: string;
  readonly to: string;
  /** The path of the value that follows; null in an array. */
  key: { readonly from: string; readonly to: string } | null;
  /** The keys so far: in the file by their new names. */
  readonly names: Map<string, string>;
}

/** Applies changes of keys to rows of JSON. */
export class KeyRules {
  readonly #changes: KeyChanges;
  readonly #paths: ReadonlySet<string>;
  /** Paths of changes that rows have, and those of texts that are columns. */
  readonly used = new Set<string>();
  readonly columns = new Set<string>();

  constructor(changes: KeyChanges) {
    this.#changes = changes;
    this.#paths = new Set([...changes.rename.keys(), ...changes.texts].flatMap(prefixes));
  }

  /** The row with the changes. Throws invalid_argument if an object has a new name already. */
  apply(row: string): string {
    const parts: string[] = [];
    let done = 0;
    const replace = (from: number, to: number, text: string) => {
      parts.push(row.slice(done, from), text);
      done = to;
    };
    const frames: (Frame | null)[] = [];
    // the value that becomes a text: its offset, and the frames around it
    let text: { readonly from: number; readonly depth: number } | null = null;
    const begin = (from: number) => {
      if (text === null && this.#isText(frames.at(-1))) text = { from, depth: frames.length };
    };
    const end = (to: number) => {
      if (text?.depth !== frames.length) return;
      const value = row.slice(text.from, to);
      if (value !== 'null') replace(text.from, to, JSON.stringify(value));
      text = null;
    };
    walkJson(row, {
      open: (_, from) => {
        begin(from);
        frames.push(text === null ? this.#frame(frames) : null);
      },
      close: (to) => {
        frames.pop();
        end(to);
      },
      key: (from, to) => {
        const frame = frames.at(-1);
        const name = frame ? this.#newName(frame, keyAt(row, from, to)) : null;
        if (name !== null) replace(from, to, JSON.stringify(name));
      },
      scalar: (from, to) => {
        begin(from);
        end(to);
      },
    });
    return parts.length === 0 ? row : parts.join('') + row.slice(done);
  }

  #isText(frame: Frame | null | undefined): boolean {
    const path = frame?.key?.to;
    if (path === undefined || !this.#changes.texts.has(path)) return false;
    this.used.add(path);
    if (frame?.to === '') this.columns.add(path);
    return true;
  }

  #frame(frames: readonly (Frame | null)[]): Frame | null {
    const names = new Map<string, string>();
    if (frames.length === 0) return { from: '', to: '', key: null, names };
    const parent = frames[frames.length - 1];
    if (parent === null) return null;
    const { key } = parent;
    if (key === null) return { ...parent, names };
    const hasChanges = this.#paths.has(key.from) || this.#paths.has(key.to);
    return hasChanges ? { from: `${key.from}.`, to: `${key.to}.`, key: null, names } : null;
  }

  /** The new name of a key; null if it stays. */
  #newName(frame: Frame, name: string): string | null {
    const from = frame.from + name;
    const target = this.#changes.rename.get(from);
    if (target !== undefined) this.used.add(from);
    const to = target?.startsWith(frame.to) ? target.slice(frame.to.length) : (target ?? name);
    const other = frame.names.get(to);
    if (other !== undefined && other !== name) throw refuse(frame, to, other, name);
    frame.names.set(to, name);
    frame.key = { from, to: frame.to + to };
    return target === undefined ? null : to;
  }
}

/** `a.b.c` begins with `a`, `a.b` and itself. */
const prefixes = (path: string): readonly string[] => {
  const keys = path.split('.');
  return keys.map((_, i) => keys.slice(0, i + 1).join('.'));
};

function refuse({ from }: Frame, to: string, ...keys: readonly string[]): LakeError {
  const [first, second] = keys.map((key) => `"${from}${key}"`);
  const message = `an object has both ${first} and ${second}, which cannot both be "${to}"`;
  return new LakeError('invalid_argument', message);
}
