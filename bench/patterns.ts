/**
 * Prefixes and words within one edit beside Lucene and tantivy, query by query in one run of the
 * peers' bench.py: prints a table of ratios (above 1: we are faster). Needs what bench/peers.ts
 * needs, and its component lhs.idx (made there).
 *
 *   node bench/patterns.ts [--warm=3] [--repeat=5] [--modes=prefix,…] [--variants]
 */
import { join } from 'node:path';
import { HERE, machine, peerCommands, ready, run, table, WORK } from './peer-run.ts';
import { need } from './shared.ts';

const MODES = 'prefix,count_prefix,fuzzy1_const,count_fuzzy1_const';

if (ready()) {
  const component = join(WORK, 'lhs.idx');
  need(component, 'node bench/peers.ts makes it');
  const serve = `${process.execPath} ${join(HERE, 'serve-patterns.ts')}`;
  const commands = peerCommands();
  commands.lhs = `${serve} ${component}`;
  if (process.argv.includes('--variants')) {
    const parts = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => join(WORK, `lhs-${i}.idx`));
    commands.lhs_8_segments = `${serve} ${parts.join(' ')}`;
    commands.lhs_1_deleted = `${commands.lhs} --deleted=1`;
  }
  const answer = run(commands, MODES);
  console.log(`\n${machine()}\n`);
  console.log(table(answer));
}
