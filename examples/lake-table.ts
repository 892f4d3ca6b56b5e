// A table of two rows for the other examples. Usually Spark, Trino or a pipeline writes it.
import { openCollection, text } from '@lakehouse-search/engine/collection';

/** Fills the index `incidents` of a data folder. */
export async function fillIncidents(dataDir: string): Promise<void> {
  const incidents = await openCollection(dataDir, 'incidents', {
    id: 'integer',
    service: 'string',
    title: text('english'),
  });
  await incidents.upsert([
    { id: 1, service: 'billing', title: 'Timeout while a card is charged' },
    { id: 2, service: 'search', title: 'Timeouts of the parser' },
  ]);
  await incidents.close();
}
