import { LakeError } from '../../base/errors.ts';
import { type FaultKind, type FaultRules, isPassing, retryAfter } from '../store-requests.ts';

/** An error of a call: `code` is the status of an answer. */
interface GcsError {
  readonly code?: number | string;
  readonly message?: string;
  readonly retryAfter?: string | null;
}

const statusOf = (error: unknown): number => Number((error as GcsError).code) || 0;

/** How errors of calls are read. */
export const GCS_FAULTS: FaultRules = Object.freeze({
  kindOf: (error: unknown): FaultKind => {
    const status = statusOf(error);
    if (isPassing(error, status) || status === 408) return 'passing';
    if (status === 412 || status === 304) return 'refused';
    return status === 404 && !isNoBucket(error) ? 'missing' : 'fatal';
  },
  retryAfterMs: (error: unknown): number | null => retryAfter((error as GcsError).retryAfter),
});

const isNoBucket = (error: unknown): boolean =>
  /bucket (does not|doesn't) exist/i.test((error as GcsError).message ?? '');

/** The error of a request for `object` (`gs://…`) that failed for good. */
export function gcsFault(error: unknown, object: string): LakeError {
  if (error instanceof LakeError) return error;
  const { code, message = '' } = error as GcsError;
  const status = statusOf(error);
  const make = (kind: ConstructorParameters<typeof LakeError>[0], what: string) =>
    new LakeError(kind, `"${object}" at Google Cloud Storage: ${what}`, {
      file: object,
      details: { status, reason: String(code ?? '') },
    });
  if (isNoBucket(error)) return noBucket(object);
  if (/default credentials|metadata server|invalid_grant/i.test(message)) {
    return make(
      'permission_denied',
      'no credentials were found; set GOOGLE_APPLICATION_CREDENTIALS to the file of a service ' +
        'account, or run "gcloud auth application-default login"',
    );
  }
  if (status === 401 || status === 403) {
    return make(
      'permission_denied',
      'access denied; the credentials need the role "Storage Object User", for reads ' +
        '"Storage Object Viewer"',
    );
  }
  if (status === 0 || GCS_FAULTS.kindOf(error) === 'passing') {
    return make(
      'storage_unreachable',
      `the service cannot be reached or fails (${code ?? message})`,
    );
  }
  return make('internal', `unexpected answer ${status} (${message.slice(0, 300)})`);
}

/** The error of a request for `object` in a bucket that is not there. */
export function noBucket(object: string): LakeError {
  const message = `"${object}" at Google Cloud Storage: there is no such bucket; check its name`;
  return new LakeError('table_not_found', message, { file: object, details: { status: 404 } });
}
