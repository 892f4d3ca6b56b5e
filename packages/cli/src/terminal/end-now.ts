const INTERRUPTED_EXIT = 130;

/**
 * Ends this process at once, as SIGINT ends a process that does not handle it: a shell sees exit
 * code 130. `process.exit` waits for the threads of Node, and one of them may be blocked in a
 * system call that never returns.
 */
export function endNow(): never {
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
  // only process 1 of a container comes here: the kernel does not end it by a signal of its own
  process.exit(INTERRUPTED_EXIT);
}
