/**
 * Reindexes index "t" of the data folder in argv[2] and kills itself at text argv[3] of its model;
 * `resume` in argv[4] resumes. Every finished data file is committed. Run by resume.test.ts.
 */
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { tinyModels } from '../../../../test/support/tiny-model.ts';

const [data, at, resume] = process.argv.slice(2);
const tiny = tinyModels();
const backend = await openEngine(data, {
  create: true,
  threads: 0,
  saveMs: 0,
  openEmbedder: async (name, from) => {
    const model = await tiny.open(name, from);
    return {
      ...model,
      embed: async (texts) => {
        if (tiny.embedded >= Number(at)) {
          process.kill(process.pid, 'SIGKILL');
          await new Promise(() => {});
        }
        return model.embed(texts);
      },
    };
  },
});
const { resumed_docs = 0 } = await backend.reindex({
  ...{ index: 't', resume: resume === 'resume', threads: 2 },
});
process.stdout.write(String(resumed_docs));
await backend.close();
