import { WINDOW_FORM } from '../../segment/cool.ts';
import type { FilledFolder } from '../bring-commit.ts';
import { movesOf } from '../windows/tier-policy.ts';

/** Windows that are cold here stay so; of a generation that is new here, all but the `hot` newest. */
export const tiersHere =
  (hot: number | undefined, now: number): FilledFolder['formOf'] =>
  (next, former) => {
    const cool = new Set(former === null ? movesOf(next.segments, hot, now).cool : []);
    const cold = new Set(former?.segments.flatMap((one) => (one.cold === undefined ? [] : one.id)));
    return ({ id, window = null }) => (cold.has(id) || cool.has(window) ? WINDOW_FORM : null);
  };
