import { describe, expect, it } from 'vitest';
import { withHybrid } from './set-hybrid.ts';

const LINE = 'hybrid: { fusion: scores, weight: 0.3, depth: 100 }';

describe('the hybrid setting of a definition file', () => {
  it('goes before the fields, and leaves the comments', () => {
    const text = '# mine\nversion: 1\nindex: a # short\nfields:\n  - { name: x, type: TEXT } # x\n';
    const written = withHybrid(text, LINE);
    expect(written).toBe(text.replace('fields:', `${LINE}\nfields:`));
  });

  it.each([
    ['in one line', 'hybrid: { fusion: rrf, depth: 50 } # tried\n'],
    ['as a block', 'hybrid:\n  fusion: rrf\n  depth: 50\n# tried\n'],
  ])('replaces one that is written %s', (_, old) => {
    const written = withHybrid(`version: 1\n${old}fields: []\n`, LINE);
    expect(written.startsWith(`version: 1\n${LINE}`)).toBe(true);
    expect(written.endsWith('\nfields: []\n')).toBe(true);
    expect(written).not.toContain('rrf');
  });
});
