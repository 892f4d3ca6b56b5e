import { LIMITS } from '../../base/limits.ts';
import { wideObjects } from '../types/wide-objects.ts';
import { keyAt, walkJson } from './json-walk.ts';

/** A key of objects, and those inside of its values; lists are passed through. */
interface KeyNode {
  readonly name: string;
  /** The row that has it first, counted from 1. */
  readonly row: number;
  readonly parent: KeyNode | null;
  /** By key in lower case. */
  readonly children: Map<string, KeyNode>;
}

/** Two keys at one path that differ only in case. */
export interface TwinKeys {
  /** The keys of the objects around them. */
  readonly path: readonly string[];
  readonly keys: readonly [first: string, second: string];
  /** The rows that have them, counted from 1. */
  readonly rows: readonly [number, number];
}

/** The keys of rows of JSON at each path. */
export class KeyTree {
  readonly #root: KeyNode = { name: '', row: 0, parent: null, children: new Map() };
  readonly #wide = new Set<string>();
  readonly #isCounting: boolean;
  readonly #onTwins: (twins: TwinKeys) => void;
  #rows = 0;
  #nodes = 0;

  /** With `onTwins` it finds keys that differ only in case, else it counts the keys of columns. */
  constructor(onTwins?: (twins: TwinKeys) => void) {
    this.#isCounting = onTwins === undefined;
    this.#onTwins = onTwins ?? (() => {});
  }

  /** Adds the keys of a row. */
  note(text: string): void {
    this.#rows++;
    const stack: (KeyNode | null)[] = [];
    let at: KeyNode | null = this.#root;
    walkJson(text, {
      open: () => stack.push(at),
      close: () => {
        stack.pop();
        at = stack.at(-1) ?? null;
      },
      key: (from, to) => {
        const parent = stack.at(-1) ?? null;
        at = parent && this.#child(parent, keyAt(text, from, to));
      },
      scalar: () => {},
    });
    if (this.#isCounting && this.#nodes > LIMITS.importKeys) this.#leaveOutWidest();
  }

  /** The columns that have so many different keys that the others have few enough. */
  get wide(): ReadonlySet<string> {
    return this.#wide;
  }

  /** Null for what is inside of a wide column. */
  #child(parent: KeyNode, name: string): KeyNode | null {
    if (parent === this.#root && this.#wide.has(name)) return null;
    const key = this.#isCounting ? name : name.toLowerCase();
    const known = parent.children.get(key);
    if (known !== undefined) {
      if (known.name !== name) this.#onTwins(this.#twins(known, name));
      return known;
    }
    const node: KeyNode = { name, row: this.#rows, parent, children: new Map() };
    parent.children.set(key, node);
    if (parent !== this.#root) this.#nodes++;
    return node;
  }

  #twins({ name, row, parent }: KeyNode, second: string): TwinKeys {
    const path: string[] = [];
    for (let at = parent; at !== null && at !== this.#root; at = at.parent) path.unshift(at.name);
    return { path, keys: [name, second], rows: [row, this.#rows] };
  }

  #leaveOutWidest(): void {
    const nested = [...this.#root.children.values()].filter(({ children }) => children.size > 0);
    const columns = nested.map((node) => ({ name: node.name, node, keys: size(node) - 1 }));
    for (const { name, node, keys } of wideObjects(columns, LIMITS.importKeys / 2)) {
      this.#wide.add(name);
      node.children.clear();
      this.#nodes -= keys;
    }
  }
}

const size = (node: KeyNode): number =>
  [...node.children.values()].reduce((sum, child) => sum + size(child), 1);
