import { describe, expect, it } from 'vitest';
import { clipboardProgram, clipboardSequence } from './clipboard.ts';

describe('the clipboard', () => {
  it('is set by an escape sequence, wrapped inside GNU screen', () => {
    expect(clipboardSequence('id=ü', {})).toBe('\u001b]52;c;aWQ9w7w=\u0007');
    expect(clipboardSequence('a', { STY: '1' })).toBe('\u001bP\u001b]52;c;YQ==\u0007\u001b\\');
  });

  it('is set by tmux or by the program of the desktop', () => {
    const program = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform = 'linux') =>
      clipboardProgram(env, platform)?.[0];
    expect(program({ TMUX: '/tmp/x,1,0', SSH_TTY: '/dev/pts/1' })).toBe('tmux');
    expect(program({ SSH_CONNECTION: '::1 1 ::1 22', DISPLAY: ':0' })).toBeUndefined();
    expect(program({ WAYLAND_DISPLAY: 'w', DISPLAY: ':0' })).toBe('wl-copy');
    expect(program({ DISPLAY: ':0' })).toBe('xclip');
    expect(program({}, 'darwin')).toBe('pbcopy');
    expect(program({}, 'win32')).toBe('clip');
    expect(program({})).toBeUndefined();
  });
});
