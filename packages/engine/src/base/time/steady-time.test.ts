import { beforeEach, describe, expect, it } from 'vitest';
import { SteadyTime } from './steady-time.ts';

const HOUR = 3_600_000;
let wall: number;
let tick: number;
let time: SteadyTime;
beforeEach(() => {
  [wall, tick] = [1e12, 0];
  time = new SteadyTime(() => tick);
  time.at(wall);
});
/** The believed time after `elapsed`, in which the wall clock is also set by `jump`. */
const after = (elapsed: number, jump = 0): number => {
  tick += elapsed;
  wall += elapsed + jump;
  return time.at(wall);
};

describe('the believed time', () => {
  it('is that of the wall clock while both clocks go on alike', () => {
    expect(after(HOUR)).toBe(wall);
    expect(after(5000 * HOUR, 30_000)).toBe(wall);
  });

  it('goes on through a jump ahead that is taken back', () => {
    expect(after(0, 4500 * HOUR)).toBe(1e12);
    expect(after(2 * HOUR)).toBe(1e12 + 2 * HOUR);
    expect(after(HOUR, -4500 * HOUR)).toBe(1e12 + 3 * HOUR);
  });

  it('follows a jump ahead that stays for a day, and a jump back at once', () => {
    after(0, 4500 * HOUR);
    expect(after(23 * HOUR)).toBe(1e12 + 23 * HOUR);
    expect(after(HOUR)).toBe(wall);
    expect(after(HOUR)).toBe(wall);
    expect(after(HOUR, -9000 * HOUR)).toBe(wall);
  });
});
