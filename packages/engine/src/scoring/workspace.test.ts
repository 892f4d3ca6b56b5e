import { describe, expect, it } from 'vitest';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { Workspace } from './workspace.ts';

describe('the workspace of a search', () => {
  it('allocates again after the arena was full', () => {
    const arena = plainArena(2 ** 20);
    const workspace = new Workspace(arena);
    workspace.reserve(1000, 1);
    expect(() => workspace.reserve(2 ** 24, 1)).toThrow('left');
    const other = arena.allocate(2 ** 16);
    workspace.reserve(1000, 1);
    expect(workspace.terms.length).toBe(1);
    for (const { byteOffset } of [workspace.survivors, workspace.blocked, workspace.marks]) {
      expect(byteOffset).toBeGreaterThanOrEqual(other.offset + other.length);
    }
  });
});
