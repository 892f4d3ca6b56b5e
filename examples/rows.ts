// Rows of your program: stored by key, found by their words.
import { date, openCollection, text } from '@lakehouse-search/engine/collection';

const notes = await openCollection(process.argv[2] ?? 'data', 'notes', {
  id: 'string',
  title: text('english'),
  at: date(),
});
await notes.upsert([
  { id: 'a', title: 'Timeouts in the parser', at: new Date('2026-01-05T08:00:00Z') },
  { id: 'b', title: 'The parser reads UTF-16', at: new Date('2026-02-05T08:00:00Z') },
]);
await notes.delete(['b']);
for (const { key, row } of (await notes.search('parsers')).hits) {
  console.log(key, row.title, row.at.getUTCFullYear());
}
await notes.close();
