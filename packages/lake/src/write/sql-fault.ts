import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { memoryFault } from './memory-fault.ts';

/**
 * What our own SQL puts before the message of an `error(…)`, so that it is passed on as it is.
 */
export const OWN_FAULT = 'lhs: ';

/** What is wrong with an input that has such a row. */
export const LARGE_ROW = 'a row of more than 16 MiB; write its rows as NDJSON, one object per line';

const MIB = 2 ** 20;

/**
 * DuckDB's error in our words: faults of the input become invalid_argument with the file and, for
 * text, the line; a full disk is disk_full, a value or row group beyond the memory out_of_memory.
 */
export function sqlFault(
  error: unknown,
  inputs: readonly string[],
  memoryBytes: number = LIMITS.writerMemoryBytes,
): LakeError {
  const cause = memoryFault(error);
  if (cause instanceof LakeError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const file = inputs.find((path) => message.includes(path)) ?? inputs[0];
  const what = inputs.length === 1 || file !== inputs[0] ? `"${file}"` : 'the input files';
  const options = { file, cause };
  if (/No space left|ENOSPC/i.test(message)) {
    return new LakeError('disk_full', 'the disk is full; nothing was committed', options);
  }
  if (/Permission denied|Operation not permitted|Read-only file system/.test(message)) {
    const [first] = message.split('\n');
    return new LakeError('permission_denied', first, options);
  }
  if (/out of memory|max_temp_directory_size/i.test(message)) {
    const limit = `${Math.floor(memoryBytes / MIB)} MiB`;
    const why = 'its values, row groups or columns are too large; split it';
    return new LakeError('out_of_memory', `writing ${what} needs more than ${limit}: ${why}`, {
      ...options,
      details: { option: 'memory' },
    });
  }
  if (/CSV Parser state machine/.test(message)) {
    const why = 'its line ends differ (CRLF, LF and CR in one file); write it with one kind';
    return new LakeError('invalid_argument', `cannot read ${what}: ${why}`, options);
  }
  if (message.includes('"maximum_object_size"')) {
    return new LakeError('invalid_argument', `cannot read ${what}: it has ${LARGE_ROW}`, options);
  }
  const twin = /^.*Duplicate name "(.*)" in struct auto-detected in JSON/.exec(message);
  if (twin !== null) {
    const why = `keys of one object differ only in case ("${twin[1]}")`;
    const details = { option: 'twins', key: twin[1] };
    return new LakeError('invalid_argument', `cannot read ${what}: ${why}`, {
      ...options,
      details,
    });
  }
  const own = message.indexOf(OWN_FAULT);
  if (own >= 0) {
    return new LakeError('invalid_argument', message.slice(own + OWN_FAULT.length), options);
  }
  const reason = plainReason(message);
  const details = reason.startsWith('line ') ? { option: 'line' } : {};
  const fault = { ...options, details };
  return new LakeError('invalid_argument', `cannot read ${what}: ${reason}`, fault);
}

/** The reason without DuckDB's classes of errors, settings and statements. */
function plainReason(message: string): string {
  const lines = message
    .replace(/^([A-Z][\w ]*Error: )+/, '')
    .split('\n')
    .map((line) => line.trim());
  const [first = '', second = ''] = lines;
  const csv = /^CSV Error on Line: (\d+)$/.exec(first);
  if (csv === null) return lowerFirst(withoutAdvice(first));
  // the line may have line ends; the reason is below it, above advice
  const hasOriginal = second.startsWith('Original Line:');
  const advice = lines.findIndex((line) => /^Possible |^file = /.test(line));
  const said = lines.slice(2, advice < 0 ? undefined : advice).filter((line) => line !== '');
  const reason = hasOriginal ? (said.at(-1) ?? '') : second;
  return `line ${csv[1]}: ${lowerFirst(withoutAdvice(reason))}`;
}

/** Users cannot change the settings of DuckDB that its advice names. */
function withoutAdvice(text: string): string {
  return text
    .replace(/\s*\(?(Try |Possible |Consider |If you )[\s\S]*$/, '')
    .replace(/[.\s]+$/, '');
}

const lowerFirst = (text: string) =>
  /^[A-Z][a-z]/.test(text) ? text[0].toLowerCase() + text.slice(1) : text;
