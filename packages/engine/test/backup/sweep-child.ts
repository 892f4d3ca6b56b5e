/** Opens and sweeps the data folder in argv[2] until its standard input ends. */
import { LocalIndexes } from '../../src/local/local-indexes.ts';

const indexes = new LocalIndexes(process.argv[2]);
let ended = false;
process.stdin.on('end', () => {
  ended = true;
});
process.stdin.resume();
process.stdout.write('begin\n');
while (!ended) {
  indexes.sweep();
  await new Promise((resolve) => setImmediate(resolve));
}
await indexes.close();
