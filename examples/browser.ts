// A page: bundle this file with esbuild, rolldown, webpack or vite. It needs `fetch` alone.
import { createRestClient } from '@lakehouse-search/client/rest';

/** What the page shows of a service's first hits. */
export async function search(url: string, token: string, query: string): Promise<string[]> {
  const backend = createRestClient({ url, token });
  const { hits } = await backend.search({ index: 'incidents', query, limit: 10 });
  return hits.map((hit) => `${hit.score.toFixed(2)} ${JSON.stringify(hit.fields)}`);
}
