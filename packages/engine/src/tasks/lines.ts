/**
 * What a build by tasks writes and reads, a line of JSON each: tasks, which any program hands on,
 * and their results. Both are untrusted input.
 */
import type { VectorCounts } from '@lakehouse-search/contract';
import {
  type Check,
  type Fields,
  jsonValue,
  list,
  object,
  record,
  requestOf,
  text,
  whole,
} from '@lakehouse-search/contract/internal';
import { BUNDLED_NAME, type BundleRef, digestOfBytes } from '../home/bundle.ts';
import { buildNumber, bundleName, bundleRef, checkBundle, uuidOf } from '../home/chain.ts';
import { matching, sha256Check, uuid } from '../home/manifest.ts';
import type { SkippedPart } from '../sync/batch/skipped-rows.ts';

/** Rows of a data file, as row groups have them: all if there is no span. */
export interface Split {
  /** As the table records it. */
  readonly path: string;
  readonly from?: number;
  readonly to?: number;
}

/** Which build a line belongs to, and which of its tasks it is about. */
export interface TaskName {
  readonly format: 1;
  /** When the build was planned, in milliseconds since 1970, and what it builds. */
  readonly build: string;
  readonly task: number;
  readonly tasks: number;
  readonly index: string;
  /** The UUID of the index in its store. */
  readonly family: string;
  /** SHA-256 of the definition. */
  readonly definition_digest: string;
  readonly definition_version: number;
  readonly snapshot: string;
  /** Of a merge: the tasks whose segments it takes, ascending; `task` is the first of them. */
  readonly covers?: readonly number[];
}

/** A task: all that a machine needs to build the segments of some rows of a table. */
export interface BuildTask extends TaskName {
  readonly definition: string;
  /** Relative paths of the definition begin here. */
  readonly base_dir: string;
  /** Where the index is published. */
  readonly storage: string;
  /** The folder of the embedding cache, on the machine of the plan. */
  readonly cache: string;
  /** Bytes of memory that the task may take. */
  readonly memory_bytes: number;
  /** Rows of its splits, deleted ones too. */
  readonly rows: number;
  /** None of a merge. */
  readonly splits: readonly Split[];
  /** Of a merge: what it merges. */
  readonly results?: readonly TaskResult[];
}

/** A split that was read. */
export interface ReadSplit extends Split {
  /** Rows that the deletes of the snapshot delete. */
  readonly deleted: number;
}

/** What a task built. */
export interface TaskResult extends TaskName, VectorCounts {
  readonly splits: readonly ReadSplit[];
  /** Documents. */
  readonly docs: number;
  readonly skipped?: SkippedPart;
  readonly dropped_duplicates?: number;
  readonly untyped_values?: Readonly<Record<string, number>>;
  /** The object with its files. */
  readonly bundle: BundleRef;
  readonly files: readonly string[];
  /** Its segments with their lowest and highest keys. */
  readonly segments: readonly {
    readonly id: string;
    readonly docs: number;
    readonly keys: readonly string[];
  }[];
  readonly took_ms: number;
  /** Processor time of all threads. */
  readonly cpu_ms: number;
}

/** Segments of a task have numbers of their own. */
const SEGMENTS_PER_TASK = 100_000;
/** The number of the first segment of a task. */
export const firstSegment = ({ task }: Pick<TaskName, 'task'>): number =>
  (task + 1) * SEGMENTS_PER_TASK + 1;

/** The tasks whose rows a task or its result has. */
export const coveredBy = ({ task, covers = [task] }: TaskName): readonly number[] => covers;

/** When a build was planned, in milliseconds since 1970. */
export const plannedAt = ({ build }: Pick<TaskName, 'build'>): number => Number.parseInt(build, 10);

/** The name of a build: it leads to what its tasks have uploaded. */
export const buildName = (plannedMs: number, what: unknown): string =>
  `${plannedMs}-${digestOfBytes(Buffer.from(JSON.stringify(what))).slice(0, 16)}`;

/** The name of the object that an attempt at a task uploads; the same for the same bytes. */
export const taskBundle = (task: TaskName, { sha256 }: Omit<BundleRef, 'object'>): string =>
  objectName(task, `${task.build} ${coveredBy(task)} ${sha256}`);

/** The name of the object of the result of a task. */
export const resultObject = (task: TaskName): string =>
  `${objectName(task, `${task.build} ${coveredBy(task)}`)}.json`;

const objectName = (task: TaskName, what: string): string =>
  bundleName(buildNumber(plannedAt(task)), uuidOf(what));

/** The part of a line that tasks and results share. */
export const taskName = ({
  format,
  build,
  task,
  tasks,
  index,
  family,
  definition_digest,
  definition_version,
  snapshot,
  covers,
}: TaskName): TaskName => ({
  ...{ format, build, task, tasks, index, family },
  ...{ definition_digest, definition_version, snapshot },
  ...(covers === undefined ? {} : { covers }),
});

/** A task or a result of a line of text. Throws invalid_argument. */
export const readTask = (line: string): BuildTask => {
  const read = task(jsonValue(line, 'a task'));
  return read.results === undefined ? read : { ...read, results: read.results.map(checkedResult) };
};
/** As `readTask`. */
export const readResult = (line: string): TaskResult =>
  checkedResult(jsonValue(line, 'the result of a task'));

function checkedResult(value: unknown): TaskResult {
  const read = result(value);
  checkBundle(read.bundle);
  return read;
}

const COUNT = whole(0, Number.MAX_SAFE_INTEGER);
export const MOST_TASKS = 10_000;
const MOST_LISTED = 10_000_000;
const positions: Check = (value, name) => {
  list(() => undefined, 2)(value, name);
  const [file, places] = value as readonly unknown[];
  COUNT(file, name);
  list(COUNT, MOST_LISTED)(places, name);
};

const SPLIT: Fields<ReadSplit> = { path: text, from: COUNT, to: COUNT, deleted: COUNT };
const NAME: Fields<TaskName> = {
  format: whole(1, 1),
  build: matching(/^\d{13}-[0-9a-f]{16}$/, 'the name of a build'),
  task: whole(0, MOST_TASKS - 1),
  tasks: whole(1, MOST_TASKS),
  index: text,
  family: uuid,
  definition_digest: sha256Check,
  definition_version: COUNT,
  snapshot: matching(/^-?\d{1,19}$/, 'the id of a snapshot'),
  covers: list(whole(0, MOST_TASKS - 1), MOST_TASKS),
};
const TASK: Fields<BuildTask> = {
  ...NAME,
  definition: text,
  base_dir: text,
  storage: text,
  cache: text,
  memory_bytes: COUNT,
  rows: COUNT,
  splits: list(record(SPLIT, ['path']), MOST_LISTED),
  results: list(object, MOST_TASKS),
};
const SEGMENT = { id: matching(/^s\d+$/, 'the id of a segment'), docs: COUNT, keys: list(text, 2) };
const RESULT: Fields<TaskResult> = {
  ...NAME,
  splits: list(record(SPLIT, ['path', 'deleted']), MOST_LISTED),
  docs: COUNT,
  skipped: record({ first: list(object, 100), files: list(positions, MOST_LISTED) }, [
    'first',
    'files',
  ]),
  dropped_duplicates: COUNT,
  untyped_values: object,
  embeddings: object,
  without_vector: object,
  bundle: bundleRef,
  files: list(matching(BUNDLED_NAME, 'the name of a file'), MOST_LISTED),
  segments: list(record(SEGMENT, ['id', 'docs', 'keys']), MOST_LISTED),
  took_ms: COUNT,
  cpu_ms: COUNT,
};

const required = <T extends object>(fields: Fields<T>, ...optional: readonly (keyof T)[]) =>
  (Object.keys(fields) as (keyof T)[]).filter((name) => !optional.includes(name));
const task = requestOf<BuildTask>(TASK, ...required(TASK, 'covers', 'results'));
const OPTIONAL = [
  'covers',
  'skipped',
  'dropped_duplicates',
  'untyped_values',
  'embeddings',
  'without_vector',
] as const;
const result = requestOf<TaskResult>(RESULT, ...required(RESULT, ...OPTIONAL));
