import { describe, expect, it } from 'vitest';
import { WorkWatch } from './work-watch.ts';

describe('loops that are watched', () => {
  it('are named once they have ended no round for too long', () => {
    let now = 0;
    const watch = new WorkWatch(() => now);
    watch.round('leader');
    now = 30_000;
    watch.round('connector');
    watch.requireRounds(30_000);
    now = 31_000;
    expect(() => watch.requireRounds(30_000)).toThrow('the leader has waited for 31 s');
    watch.round('leader');
    watch.requireRounds(30_000);
  });

  it('are not watched after their end', () => {
    let now = 0;
    const watch = new WorkWatch(() => now);
    watch.round('leader');
    watch.forget('leader');
    now = 60_000;
    watch.requireRounds(1);
  });
});
