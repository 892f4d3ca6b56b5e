import { basename, dirname, isAbsolute, sep } from 'node:path';
import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { sourceError } from '@lakehouse-search/engine/internal';
import { withoutPlaces } from '../config/private-places.ts';

/** Codes of errors that name files of the service itself; others name files of tables. */
const OF_OWN_FILES: ReadonlySet<ErrorCode> = new Set([
  'corrupt_index',
  'disk_full',
  'disk_short',
  'io_error',
  'model_unavailable',
]);

/**
 * Any error as one that a client may see: it names files of the service without their folders, and
 * the error itself is its cause, for the log. What is not an error of the contract becomes
 * `internal` and says nothing of its cause, which may contain paths.
 */
export function publicError(error: unknown): LhsError {
  const known = sourceError(error);
  if (known instanceof LhsError) return withoutHidden(withoutFolders(known));
  return new LhsError('internal', 'internal error: the log of the service has the cause', {
    cause: error,
  });
}

/** An error that names no folder and no address of this process. */
function withoutHidden(error: LhsError): LhsError {
  const { code, message, hint, next, place, details } = error;
  const shown = {
    message: withoutPlaces(message),
    hint: hint === undefined ? undefined : withoutPlaces(hint),
    details: Object.fromEntries(
      Object.entries(details).map(([name, value]) => [
        name,
        typeof value === 'string' ? withoutPlaces(value) : value,
      ]),
    ),
  };
  const isSame = Object.entries(details).every(([name, value]) => shown.details[name] === value);
  if (shown.message === message && shown.hint === hint && isSame) return error;
  return new LhsError(code, shown.message, {
    ...(shown.hint === undefined ? {} : { hint: shown.hint }),
    ...(place === undefined ? {} : { place }),
    ...{ next, details: shown.details, cause: error },
  });
}

function withoutFolders(error: LhsError): LhsError {
  const { code, message, hint, next, place, details } = error;
  const named = ['path', 'file'].find((key) => isOwnPath(details[key]));
  if (named === undefined || !OF_OWN_FILES.has(code)) return error;
  const path = details[named] as string;
  const shorten = (text: string): string => withoutFolder(text, dirname(path));
  return new LhsError(code, shorten(message), {
    ...(hint === undefined ? {} : { hint: shorten(hint) }),
    ...(place === undefined ? {} : { place }),
    next,
    details: { ...details, [named]: basename(path) },
    cause: error,
  });
}

const isOwnPath = (value: unknown): boolean => typeof value === 'string' && isAbsolute(value);

/** The text with names of files in the folder, and of the folder, without what leads to them. */
function withoutFolder(text: string, folder: string): string {
  if (dirname(folder) === folder) return text;
  return text.replaceAll(`${folder}${sep}`, '').replaceAll(folder, basename(folder));
}
