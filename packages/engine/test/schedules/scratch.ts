import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/**
 * Where schedules lie: in memory where the system has a place for that. Their crashes are made by
 * a faulty directory, so that flushing to a real disk would only take time.
 */
export const SCRATCH = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
