import type { Coordinates, ErasureRemain } from '@lakehouse-search/contract';
import { mentionsOf, pauses, textsOfJson } from '@lakehouse-search/engine/internal';
import type { ClusterJob } from '../../store/cluster-jobs.ts';
import type { Store } from '../../store/open-store.ts';

/** What to look for in the records of a server. */
export interface RecordSearch {
  readonly index: string;
  /** The name of the index and its aliases. */
  readonly names: ReadonlySet<string>;
  readonly keys: readonly Coordinates[];
  readonly texts: readonly string[];
}

/** The records of a server that mention rows. */
export interface FoundRecords {
  readonly remains: readonly ErasureRemain[];
  readonly saved_queries: number;
  readonly job_records: number;
}

type RecordStore = Pick<Store, 'queries' | 'jobs'>;

/** Saved queries and job records of a server, as far as they mention erased rows. */
export class ErasedRecords {
  readonly #store: RecordStore;

  constructor(store: RecordStore) {
    this.#store = store;
  }

  async search(search: RecordSearch): Promise<FoundRecords> {
    const queries = await this.#queries(search);
    const jobs = await this.#jobs(search);
    const ofQueries = queries.found.map(({ record, key }): ErasureRemain => {
      const detail = 'a saved query of the server mentions the row';
      return { place: 'saved_query', key, where: record.id, detail, goes: 'erase' };
    });
    const ofJobs = jobs.found.map(({ record, key }): ErasureRemain => {
      const detail = `the record of a job in the state "${record.state}" mentions the row`;
      const goes = record.endedMs === null ? 'job_end' : 'erase';
      return { place: 'job_record', key, where: record.id, detail, goes };
    });
    return {
      remains: [...ofQueries, ...ofJobs],
      saved_queries: queries.examined,
      job_records: jobs.examined,
    };
  }

  /** Removes the saved queries, and what the records of ended jobs say. */
  async remove(search: RecordSearch) {
    const queries = await this.#queries(search);
    for (const { record } of queries.found) {
      await this.#store.queries.remove(record.id, record.owner);
    }
    const jobs = await this.#jobs(search);
    const ended = jobs.found.filter(({ record }) => record.endedMs !== null);
    for (const { record } of ended) await this.#store.jobs.forget(record.id);
    return { saved_queries_removed: queries.found.length, job_records_removed: ended.length };
  }

  /** Saved queries of the index, and those that name no index. */
  async #queries({ names, keys, texts }: RecordSearch) {
    const own = (await this.#store.queries.all()).flatMap((query) => {
      const request = JSON.parse(query.request) as { readonly index?: string };
      const isOwn = request.index === undefined || names.has(request.index);
      return isOwn ? [{ query, request }] : [];
    });
    const mentions = mentionsOf(keys, texts);
    const found = await mentioning(
      own.map(({ query }) => query),
      (query, i) => mentions(textsOfJson([query.name, query.description ?? '', own[i].request])),
    );
    return { examined: own.length, found };
  }

  /** Job records of the index. An erasure that runs names its rows until it ends. */
  async #jobs({ index, keys, texts }: RecordSearch) {
    const isErasing = ({ kind, endedMs }: ClusterJob) => kind === 'erase' && endedMs === null;
    const own = (await this.#store.jobs.list()).filter(
      (job) => job.index === index && !isErasing(job),
    );
    const mentions = mentionsOf(keys, texts);
    const found = await mentioning(own, ({ request, record }) =>
      mentions(textsOfJson([request, record])),
    );
    return { examined: own.length, found };
  }
}

/** The records that mention a key, or a text of the rows; the search is made in turns. */
async function mentioning<T>(
  records: readonly T[],
  keyIn: (record: T, at: number) => number | null | undefined,
) {
  const found: { readonly record: T; readonly key: number | null }[] = [];
  const pause = pauses();
  for (const [at, record] of records.entries()) {
    await pause();
    const key = keyIn(record, at);
    if (key !== undefined) found.push({ record, key });
  }
  return found;
}
