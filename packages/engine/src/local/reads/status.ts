import {
  type CallContext,
  type IndexRequest,
  type IndexStatus,
  LhsError,
} from '@lakehouse-search/contract';
import { checkIndexRequest } from '@lakehouse-search/contract/internal';
import type { SourceTable } from '@lakehouse-search/lake';
import { isGone } from '../../base/process-identity.ts';
import { lockHolder } from '../../index/commits/writer-lock.ts';
import { endDeadJobs } from '../../open/dead-jobs.ts';
import { windowsPart } from '../../open/describe-index.ts';
import { commitVersion, type KnownIndex } from '../../open/open-index.ts';
import {
  ownStatus,
  type StatusSubject,
  sourceFault,
  tableStatus,
} from '../../sync/index-status.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { describeGenerations, mergeFailure, syncFailure } from './generations.ts';
import { publishedState } from './published.ts';

/** A table that does not answer within this time counts as out of reach. */
const TABLE_MS = 10_000;

/**
 * How far an index is behind its table. A table that is out of reach is no error: the answer has
 * the index's own figures and the reason why the others are missing. Throws index_not_found,
 * corrupt_index, io_error.
 */
export async function statusOf(
  indexes: LocalIndexes,
  request: IndexRequest,
  call: CallContext,
): Promise<IndexStatus> {
  const { index } = checkIndexRequest(request);
  const known = accessible(indexes, index, call);
  const { definition, folder } = known;
  const open = commitVersion(folder) === null ? null : indexes.hold(known);
  try {
    const holder = lockHolder(folder);
    const subject: StatusSubject = {
      definition,
      snapshot: open?.snapshot ?? null,
      writer: holder === null || isGone(holder) ? null : holder,
    };
    const generations = open === null ? {} : { generations: describeGenerations(indexes, known) };
    const failures = { ...mergeFailure(indexes, known), ...syncFailure(indexes, known) };
    const published = publishedState(indexes, known);
    const ours = { ...ownStatus(subject), ...generations, ...windowsPart(open), ...published };
    const own = { ...ours, ...failures, ...runningJobs(indexes, known) };
    return { ...own, ...(await beyond(indexes, known, subject)) };
  } finally {
    open?.snapshot.release();
  }
}

function runningJobs(indexes: LocalIndexes, { registered }: KnownIndex) {
  endDeadJobs(indexes, indexes.clock.now(), registered.uuid);
  const jobs = indexes.registry.jobs.running(registered.uuid).map(({ id: job_id, kind, state }) => {
    return { job_id, kind, state };
  });
  return jobs.length === 0 ? {} : { jobs };
}

async function beyond(indexes: LocalIndexes, known: KnownIndex, subject: StatusSubject) {
  try {
    const table = await newestWithin(indexes, known);
    return tableStatus(subject, table, indexes.clock.now());
  } catch (error) {
    return sourceFault(error);
  }
}

async function newestWithin(indexes: LocalIndexes, known: KnownIndex): Promise<SourceTable> {
  const answered = new AbortController();
  const late = indexes.clock.sleep(TABLE_MS, answered.signal).then(() => {
    if (answered.signal.aborted) return undefined;
    const what = `the table did not answer within ${TABLE_MS / 1000} s`;
    throw new LhsError('source_unreachable', what);
  });
  try {
    const newest = indexes.tables.newest(known);
    return (await Promise.race([newest, late])) ?? (await newest);
  } finally {
    answered.abort();
  }
}
