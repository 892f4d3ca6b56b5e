/** The programs of the threads of this folder. */
import { workerEntry } from '../base/worker-entry.ts';

/** That of search threads. */
export const SHARD_WORKER = workerEntry('shard-worker', import.meta.url);
/** That of build threads. */
export const BUILD_WORKER = workerEntry('build-worker', import.meta.url);
/** That of threads that embed texts. */
export const EMBED_WORKER = workerEntry('embed-worker', import.meta.url);
