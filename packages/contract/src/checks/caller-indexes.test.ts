import { describe, expect, it } from 'vitest';
import type { Principal } from '../call.ts';
import { namedIndex } from './caller-indexes.ts';

const NAMES = ['a', 'b', 'c'];
const ALIASES: Readonly<Record<string, string>> = { x: 'a', y: 'c' };

function resolved(name: string | undefined, caller?: Partial<Principal>): string {
  const principal = { subject: 'ann', scopes: [], ...caller };
  const call = caller === undefined ? {} : { principal };
  try {
    return namedIndex(name, NAMES, (alias) => ALIASES[alias], call);
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the index that a request names', () => {
  it.each([
    ['a', undefined, 'a'],
    ['x', undefined, 'a'],
    ['z', undefined, 'there is no index "z"'],
    [undefined, undefined, 'index required; endpoint serves 3 indexes'],
    ['a', { indexes: ['a', 'd'] }, 'a'],
    ['x', { indexes: ['a', 'd'] }, 'a'],
    ['', { indexes: ['a', 'd'] }, 'a'],
    [undefined, { indexes: ['a', 'b'] }, 'index required; endpoint serves 2 indexes'],
    [undefined, { indexes: [] }, 'index required; endpoint serves 0 indexes'],
    ['c', { indexes: ['a', 'd'] }, 'index "c" is not among the caller\'s indexes'],
    ['y', { indexes: ['a', 'd'] }, 'index "y" is not among the caller\'s indexes'],
    ['z', { indexes: ['a', 'd'] }, 'index "z" is not among the caller\'s indexes'],
    ['d', { indexes: ['a', 'd'] }, 'there is no index "d"'],
    ['z', { tenant: 't' }, 'there is no such index, or it has no tenant_field'],
    [undefined, { tenant: 't' }, 'index required'],
  ])('%j for %j: %s', (name, caller, expected) => {
    expect(resolved(name, caller)).toBe(expected);
  });
});
