// Print each change of a table as the index takes it, until Ctrl-C.
import { openCollection, text } from '@lakehouse-search/engine/collection';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const notes = await openCollection(process.argv[2] ?? 'data', 'notes', {
  id: 'string',
  title: text('english'),
});
await notes.upsert({ id: 'a', title: 'Timeouts in the parser' });
try {
  for await (const change of notes.follow({ from: null, signal: stop.signal })) {
    console.log(`${change.upserts.length} rows changed, ${change.deletes.length} deleted`);
  }
} catch (error) {
  if (!stop.signal.aborted) throw error;
} finally {
  await notes.close();
}
