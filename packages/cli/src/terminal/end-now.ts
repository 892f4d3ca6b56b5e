const INTERRUPTED_EXIT = 130;

/**
 * Ends this process at once, as SIGINT ends a process that does not handle it: a shell sees exit
 * code 130. `process.exit` waits for the threads of Node, and one of them may be blocked in a
 * system call that never returns.
 */
export function endNow(): never {
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
  // reached by process 1 of a container alone: the kernel drops the signals that it sends itself
  process.exit(INTERRUPTED_EXIT);
}
