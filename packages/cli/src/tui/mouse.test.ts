import { describe, expect, it } from 'vitest';
import { watchMouse } from './mouse.ts';
import type { Action } from './state/events.ts';

describe('the mouse of the terminal', () => {
  const chunks = [
    'a\u001b[<0;9;7Mb\u001b[<0;9;7m',
    '\u001b[<65;80;3M\u001b[<64;1;3M',
    '\u001b[<2;1;1M',
  ];
  const written: unknown[] = [];
  const input = { read: () => chunks.shift() ?? null };
  const output = { write: (text: unknown) => written.push(text) > 0 };
  const streams = { input, output } as unknown as Parameters<typeof watchMouse>[0];

  it('is reported as long as the second page is shown', () => {
    const stop = watchMouse(streams, () => {});
    output.write('\u001b[?1049h');
    output.write('text');
    output.write('\u001b[?1049l');
    stop();
    output.write('\u001b[?1049h');
    const shown = written.map((text) => String(text).replaceAll('\u001b[?', '^'));
    expect(shown).toEqual(['^1049h^1000h^1006h', 'text', '^1006l^1000l^1049l', '^1049h']);
  });

  it('gives clicks and turns of the wheel, and leaves the keys', () => {
    const actions: Action[] = [];
    const stop = watchMouse(streams, (action) => actions.push(action));
    expect([1, 2, 3, 4].map(() => input.read())).toEqual(['ab', '', '', null]);
    stop();
    expect(actions).toEqual([
      { type: 'click', column: 9, row: 7 },
      { type: 'wheel', sign: 1, column: 80 },
      { type: 'wheel', sign: -1, column: 1 },
    ]);
  });
});
