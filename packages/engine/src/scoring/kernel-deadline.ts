/** The deadline of the search that the query kernel runs: the kernel reads the clock through it. */
import { type Deadline, NO_DEADLINE } from '../base/deadline.ts';

/** A search is synchronous, so there is one at a time. */
let current: Deadline = NO_DEADLINE;

/** Runs `search`; while it runs, `checkQueryDeadline` checks this deadline. */
export function underDeadline<T>(deadline: Deadline, search: () => T): T {
  const before = current;
  current = deadline;
  try {
    return search();
  } finally {
    current = before;
  }
}

/** Throws when the deadline of the running search is over. */
export function checkQueryDeadline(): undefined {
  current.check();
}
