/** Requests that make, check, describe and drop indexes. */
import { coordinates, folder, INDEX_FIELDS, name, newName, path } from '../checks/shared.ts';
import {
  type Fields,
  flag,
  list,
  number,
  object,
  oneOf,
  record,
  requestOf,
  text,
  whole,
  wrong,
} from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import { type CheckedSearch, checkSearchOf } from '../search/check-nearest.ts';
import { tableOrCatalog } from '../source/check.ts';
import type {
  AlterIndexRequest,
  CloneIndexRequest,
  CreateIndexRequest,
  DropIndexRequest,
  ExportRequest,
  Judgment,
  MoveBucketRequest,
  MoveIndexRequest,
  RehearseAlterRequest,
  RehearsedRequest,
  RenameIndexRequest,
  ReshardRequest,
  RollbackIndexRequest,
  ValidateDefinitionRequest,
} from './request.ts';

const CREATE_FIELDS: Fields<CreateIndexRequest> = { definition: text, base_dir: folder };
/** Checks a request for a new index. Throws invalid_argument. */
export const checkCreateIndexRequest = requestOf<CreateIndexRequest>(CREATE_FIELDS, 'definition');

const ALTER_FIELDS: Fields<AlterIndexRequest> = {
  ...INDEX_FIELDS,
  definition_yaml: text,
  base_dir: folder,
  apply: flag,
};
/** Checks a request for a new definition. Throws invalid_argument. */
export const checkAlterRequest = requestOf<AlterIndexRequest>(ALTER_FIELDS, 'definition_yaml');

const ROLLBACK_FIELDS: Fields<RollbackIndexRequest> = {
  ...INDEX_FIELDS,
  generation: whole(1, Number.MAX_SAFE_INTEGER),
};
/** Checks a request to roll an index back. Throws invalid_argument. */
export const checkRollbackRequest = requestOf<RollbackIndexRequest>(ROLLBACK_FIELDS);

const RESHARD_FIELDS: Fields<ReshardRequest> = {
  ...INDEX_FIELDS,
  shards: whole(1, REQUEST_LIMITS.shards),
};
/** Checks a request for another number of shards. Throws invalid_argument, limit_exceeded. */
export const checkReshardRequest = requestOf<ReshardRequest>(RESHARD_FIELDS, 'shards');

const MOVE_FIELDS: Fields<MoveBucketRequest> = {
  ...INDEX_FIELDS,
  bucket: whole(0, REQUEST_LIMITS.buckets - 1),
  shard: whole(0, REQUEST_LIMITS.shards - 1),
};
/** Checks a request to move a bucket. Throws invalid_argument, limit_exceeded. */
export const checkMoveBucketRequest = requestOf<MoveBucketRequest>(MOVE_FIELDS, 'bucket', 'shard');

const JUDGMENT: Fields<Judgment> = { key: coordinates, grade: notNegative };
const REHEARSED: Fields<RehearsedRequest> = {
  mode: oneOf('lexical', 'semantic', 'hybrid'),
  request: object,
  judgments: list(record(JUDGMENT, ['key', 'grade']), REQUEST_LIMITS.judgments),
};
const REHEARSE_FIELDS: Fields<RehearseAlterRequest> = {
  ...INDEX_FIELDS,
  definition_yaml: text,
  base_dir: folder,
  queries: list(record(REHEARSED, ['request']), REQUEST_LIMITS.rehearsedQueries),
  sample: whole(1, REQUEST_LIMITS.rehearsedRows),
};
const readRehearsal = requestOf<RehearseAlterRequest>(REHEARSE_FIELDS, 'definition_yaml');

/** A search of a rehearsal, checked as one of its mode. */
export type CheckedRehearsed = CheckedSearch & { readonly judgments: readonly Judgment[] };

/** Checks a rehearsal and its searches. Throws invalid_argument, limit_exceeded. */
export function checkRehearseRequest(
  value: unknown,
): Omit<RehearseAlterRequest, 'queries'> & { readonly queries?: readonly CheckedRehearsed[] } {
  const { queries, ...rest } = readRehearsal(value);
  return queries === undefined ? rest : { ...rest, queries: queries.map(checkRehearsed) };
}

/** Checks a search of a rehearsal. Throws invalid_argument, limit_exceeded. */
export function checkRehearsed({
  mode = 'lexical',
  request,
  judgments = [],
}: RehearsedRequest): CheckedRehearsed {
  const bound = (['pit_id', 'min_snapshot'] as const).find((key) => request[key] !== undefined);
  if (bound !== undefined) {
    const message = `"queries.request.${bound}" does not go with a rehearsal: it names a commit`;
    throw new LhsError('invalid_argument', message, { hint: 'leave it out' });
  }
  return { judgments, ...checkSearchOf(mode, request) };
}

function notNegative(value: unknown, field: string): void {
  number(value, field);
  if ((value as number) < 0) throw wrong(field, value, 'a number of 0 or more');
}

/** Checks a request to drop an index. Throws invalid_argument. */
export const checkDropIndexRequest = requestOf<DropIndexRequest>({ index: name }, 'index');

/** Fields of a request that names an index and a new name. */
const NAMED_FIELDS: Fields<RenameIndexRequest> = {
  index: name,
  name: newName,
};
/** Checks a request to rename an index. Throws invalid_argument. */
export const checkRenameIndexRequest = requestOf<RenameIndexRequest>(NAMED_FIELDS, 'index', 'name');

/** Checks a request to move an index. Throws invalid_argument. */
export const checkMoveIndexRequest = requestOf<MoveIndexRequest>(
  { index: name, storage: path },
  'index',
);

/** Checks a request to clone an index. Throws invalid_argument. */
export const checkCloneIndexRequest = requestOf<CloneIndexRequest>(
  { ...NAMED_FIELDS, ref: name },
  'index',
  'name',
);

const VALIDATE_FIELDS: Fields<ValidateDefinitionRequest> = {
  ...CREATE_FIELDS,
  against_source: flag,
  source: tableOrCatalog,
};
/** Checks a request to check a definition. Throws invalid_argument. */
export const checkValidateRequest = requestOf<ValidateDefinitionRequest>(
  VALIDATE_FIELDS,
  'definition',
);

const EXPORT_FIELDS: Fields<ExportRequest> = { ...INDEX_FIELDS, query: text };
/** Checks a request for all documents. Throws invalid_argument. */
export const checkExportRequest = requestOf<ExportRequest>(EXPORT_FIELDS);
