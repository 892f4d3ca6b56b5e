import type { SourceApi } from '@lakehouse-search/contract/internal';
import { lazily } from '../base/lazily.ts';

const load = lazily(() => import('./read-tables.ts'));

/** The operations on tables that this machine reaches. They need no data folder. */
export const LOCAL_SOURCE: SourceApi = Object.freeze<SourceApi>({
  describeSource: async (request, call) => (await load()).describeTable(request, call),
  listTables: async (request, call) => (await load()).tablesOf(request, call),
  initDefinition: async (request, call) => (await load()).definitionFor(request, call),
});
