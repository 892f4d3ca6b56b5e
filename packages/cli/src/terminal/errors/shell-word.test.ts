import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

describe('a word of a shell', () => {
  it('is read back by a shell as it was', () => {
    const words = [
      "/a b/it's",
      'sp ace#é%20',
      'a.b',
      '$HOME',
      '*',
      '',
      '`x`',
      'a\\b',
      '~/x',
      '"q"',
    ];
    const printed = words.map((word) => `printf '%s\\n' ${shellWord(word)}`).join(';');
    expect(execFileSync('sh', ['-c', printed], { encoding: 'utf8' })).toBe(`${words.join('\n')}\n`);
  });
});
