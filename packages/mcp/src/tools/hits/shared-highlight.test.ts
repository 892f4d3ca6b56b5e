import { describe, expect, it } from 'vitest';
import { sharedHighlight } from './shared-highlight.ts';

const hit = (key: string, highlight?: Record<string, string>) =>
  highlight === undefined ? { key } : { key, highlight };

describe('highlights of several hits', () => {
  it('are said once if all have them', () => {
    const all = [
      hit('id=1', { repo: '«curl»', title: 'a «leak»' }),
      hit('id=2', { repo: '«curl»', title: '«leak»' }),
      hit('id=3', { repo: '«curl»' }),
    ];
    expect(sharedHighlight(all)).toEqual({
      shared: { repo: '«curl»' },
      views: [hit('id=1', { title: 'a «leak»' }), hit('id=2', { title: '«leak»' }), hit('id=3')],
    });
  });

  it.each([
    ['no hit', []],
    ['one hit', [hit('id=1', { repo: '«curl»' })]],
    ['a hit without', [hit('id=1', { repo: '«curl»' }), hit('id=2')]],
    ['the first hit without', [hit('id=1'), hit('id=2', { repo: '«curl»' })]],
    ['other values', [hit('id=1', { repo: '«curl»' }), hit('id=2', { repo: '«git»' })]],
  ])('stay with %s', (_, all) => {
    expect(sharedHighlight(all)).toEqual({ shared: {}, views: all });
  });
});
