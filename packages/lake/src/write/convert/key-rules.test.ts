import { describe, expect, it } from 'vitest';
import { KeyRules } from './key-rules.ts';
import { KeyTree, type TwinKeys } from './key-tree.ts';

type Value = string | number | null | readonly Value[] | { readonly [key: string]: Value };

/** A generator of numbers (mulberry32), so that a failure repeats. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const KEYS = ['a', 'A', 'b', 'q"\\', 'é', 'É', '{', '"}]', ' '];
const TEXTS = ['', '"', '\\', '}{"a":1}', 'é\n', '[,]', 'null'];

function value(next: (below: number) => number, depth: number): Value {
  const kind = next(depth > 3 ? 3 : 6);
  if (kind === 0) return TEXTS[next(TEXTS.length)];
  if (kind === 1) return next(1000) / 8;
  if (kind === 2) return null;
  if (kind === 3) return Array.from({ length: next(4) }, () => value(next, depth + 1));
  return object(next, depth);
}

function object(next: (below: number) => number, depth: number): Record<string, Value> {
  const keys = KEYS.filter(() => next(3) > 0);
  return Object.fromEntries(keys.map((key) => [key, value(next, depth + 1)]));
}

/** What the changes mean, by parsed values. */
function changed(of: Value, path: string, renamed: string, text: string): Value {
  if (Array.isArray(of)) return of.map((one) => changed(one, path, renamed, text));
  if (of === null || typeof of !== 'object') return of;
  const entries = Object.entries(of).map(([key, inner]) => {
    const from = path === '' ? key : `${path}.${key}`;
    const name = from === renamed ? 'NEW' : key;
    if (from === text && inner !== null) return [name, { json: inner }];
    return [name, changed(inner, from, renamed, text)];
  });
  return Object.fromEntries(entries);
}

/** The texts of JSON at `text` parsed, so that their spaces do not matter. */
function parsed(of: Value, path: string, text: string): Value {
  if (Array.isArray(of)) return of.map((one) => parsed(one, path, text));
  if (of === null || typeof of !== 'object') return of;
  const entries = Object.entries(of).map(([key, inner]) => {
    const at = path === '' ? key : `${path}.${key}`;
    if (at === text && inner !== null) return [key, { json: JSON.parse(String(inner)) }];
    return [key, parsed(inner, at, text)];
  });
  return Object.fromEntries(entries);
}

describe('changes of keys', () => {
  it('are those of parsed rows, whatever the rows have', () => {
    const next = random(20261128);
    const path = () => Array.from({ length: 1 + next(3) }, () => KEYS[next(3)]).join('.');
    let changes = 0;
    for (let i = 0; i < 3000; i++) {
      const row = object(next, 0);
      const [renamed, text] = [path(), path()];
      if (text === renamed || text.startsWith(`${renamed}.`)) continue;
      const rename = new Map([[renamed, 'NEW']]);
      const written = JSON.stringify(row, null, next(2));
      const rules = new KeyRules({ rename, texts: new Set([text]) });
      const done = rules.apply(written);
      expect(parsed(JSON.parse(done), '', text)).toEqual(changed(row, '', renamed, text));
      if (rules.used.size === 0) expect(done).toBe(written);
      else changes++;
    }
    expect(changes).toBeGreaterThan(500);
  });

  it('leave numbers as they are written', () => {
    const rules = new KeyRules({ rename: new Map([['a', 'b']]), texts: new Set(['o']) });
    const row = '{"a":12345678901234567890.10,"o":{"n":1e400,"m":-0.0}}';
    expect(rules.apply(row)).toBe(
      '{"b":12345678901234567890.10,"o":"{\\"n\\":1e400,\\"m\\":-0.0}"}',
    );
  });
});

describe('keys that differ only in case', () => {
  it('are found at each path as in parsed rows', () => {
    const next = random(7);
    for (let i = 0; i < 300; i++) {
      const rows = Array.from({ length: 1 + next(3) }, () => object(next, 0));
      const found = new Set<string>();
      const note = ({ path, keys }: TwinKeys) =>
        found.add([...path, keys[1]].join('/').toLowerCase());
      const tree = new KeyTree(note);
      for (const row of rows) tree.note(JSON.stringify(row));
      const spelled = new Map<string, Set<string>>();
      const visit = (of: Value, path: string): void => {
        if (Array.isArray(of)) for (const one of of) visit(one, path);
        else if (of !== null && typeof of === 'object') {
          for (const [key, inner] of Object.entries(of)) {
            const at = [...(path === '' ? [] : [path]), key.toLowerCase()].join('/');
            spelled.set(at, (spelled.get(at) ?? new Set()).add(key));
            visit(inner, at);
          }
        }
      };
      for (const row of rows) visit(row, '');
      const twins = [...spelled].filter(([, keys]) => keys.size > 1).map(([at]) => at);
      expect([...found].toSorted()).toEqual(twins.toSorted());
    }
  });
});
