/**
 * Reindexes index "t" of the data folder in argv[2]; says when it begins and when it has ended. Run
 * by local/reindex-kill.test.ts.
 */
import { openEngine } from '@lakehouse-search/engine/local/internal';

const backend = await openEngine(process.argv[2], { create: true, threads: 0 });
process.stdout.write('begin\n');
await backend.reindex({ index: 't', threads: 2 });
process.stdout.write('end\n');
await backend.close();
