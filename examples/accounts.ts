// A service with accounts: `lhs serve all --auth`, then `lhs token create`. Reads all hits by pages.
import { createClient, LhsError } from '@lakehouse-search/client';

const { LHS_URL: url = 'http://127.0.0.1:8080', LHS_TOKEN: token = '' } = process.env;
const backend = createClient({ url, token, timeoutMs: 5_000 });
try {
  for await (const hit of backend.hits({ index: 'incidents', query: 'timeout' })) {
    console.log(hit.score, hit.fields);
  }
} catch (error) {
  if (!(error instanceof LhsError)) throw error;
  console.error(error.code, error.message, error.hint);
  process.exitCode = 1;
} finally {
  await backend.close();
}
