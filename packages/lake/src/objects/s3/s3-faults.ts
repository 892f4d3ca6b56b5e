import { LakeError } from '../../base/errors.ts';
import { type FaultKind, type FaultRules, isPassing, retryAfter } from '../store-requests.ts';
import { profileFault } from './s3-profile.ts';

/** An error of the SDK, as far as it is read here. */
interface SdkFault {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: {
    readonly statusCode?: number;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

/** What a request was for, in messages: `s3://bucket/key at ENDPOINT`. */
export interface RequestPlace {
  readonly bucket: string;
  readonly key: string;
  readonly endpoint: string;
  readonly region: string;
}

/** The HTTP status of an error, or 0 if no answer came. */
export function statusOf(error: unknown): number {
  const { $metadata, $response } = error as SdkFault;
  return $response?.statusCode ?? $metadata?.httpStatusCode ?? 0;
}

const EXPIRED = /^(ExpiredToken|ExpiredTokenException|TokenRefreshRequired|RequestExpired)$/;
const PASSING =
  /^(SlowDown|Throttling\w*|TooManyRequests\w*|RequestTimeout|InternalError|ServiceUnavailable|ConditionalRequestConflict|OperationAborted|RequestTimeTooSkewed|RequestLimitExceeded)$/;
/** What the SDK says of an answer that is no XML: bytes were damaged on the way. */
const UNREADABLE = /Deserialization error|XML parse error/;

function kindOf(error: unknown): FaultKind {
  const { name = '', message = '' } = error as SdkFault;
  const status = statusOf(error);
  if (EXPIRED.test(name)) return 'expired';
  if (PASSING.test(name) || UNREADABLE.test(message) || isPassing(error, status)) return 'passing';
  if (status === 412) return 'refused';
  // the answer to HEAD has no body, and so no code
  const isMissing = status === 404 && /^(NoSuchKey|NotFound|NoSuchUpload|UnknownError)$/.test(name);
  return isMissing ? 'missing' : 'fatal';
}

const retryAfterMs = (error: unknown): number | null =>
  retryAfter((error as SdkFault).$response?.headers?.['retry-after']);

/** `XAdminUserNotFound`: versitygw. */
const UNKNOWN_KEY = /^(InvalidAccessKeyId|XAdminUserNotFound)$/;
/** A server says so without a header. */
const EXPECTED_REGION = /expecting "([a-z0-9-]+)"/i;

/** How errors of the SDK are read. */
export const S3_FAULTS: FaultRules = Object.freeze({ kindOf, retryAfterMs });

/** The error of a request that failed for good. Secrets are masked by the caller. */
export function s3Fault(error: unknown, place: RequestPlace): LakeError {
  if (error instanceof LakeError) return error;
  const { name = 'Error', code, message = '', $response } = error as SdkFault;
  const status = statusOf(error);
  const object = place.key === '' ? `s3://${place.bucket}` : `s3://${place.bucket}/${place.key}`;
  const make = (kind: ConstructorParameters<typeof LakeError>[0], what: string) =>
    new LakeError(kind, `"${object}" at ${place.endpoint}: ${what}`, {
      file: object,
      details: { bucket: place.bucket, endpoint: place.endpoint, status, reason: code ?? name },
    });
  if (/Credentials?ProviderError|Could not load credentials/.test(`${name} ${message}`)) {
    return make(
      'permission_denied',
      profileFault(process.env) ??
        'no credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ' +
          'AWS_PROFILE, or for a public bucket AWS_NO_SIGN_REQUEST=1',
    );
  }
  const named =
    name === 'AuthorizationHeaderMalformed' ? EXPECTED_REGION.exec(message)?.[1] : undefined;
  const region = $response?.headers?.['x-amz-bucket-region'] ?? named;
  if ([301, 307, 400].includes(status) && region !== undefined && region !== place.region) {
    return make(
      'invalid_argument',
      `the bucket is in region "${region}", not "${place.region}"; set AWS_REGION=${region}`,
    );
  }
  if (status >= 300 && status < 400) {
    return make(
      'path_refused',
      `the server answers with a redirect (${status}), which is not followed`,
    );
  }
  if (name === 'NoSuchBucket') {
    return make(
      'table_not_found',
      `there is no bucket "${place.bucket}"; check its name and AWS_ENDPOINT_URL_S3`,
    );
  }
  if (name === 'InvalidBucketName') {
    return make('invalid_argument', `"${place.bucket}" is no name of a bucket`);
  }
  const isDenied =
    UNKNOWN_KEY.test(name) || /^(SignatureDoesNotMatch|AccessDenied|InvalidToken)$/.test(name);
  if (status === 401 || status === 403 || isDenied || EXPIRED.test(name)) {
    return make('permission_denied', `access denied (${name}); ${whoMay(name)}`);
  }
  if (UNREADABLE.test(message)) {
    return make('storage_unreachable', 'its answer cannot be read: it was damaged on the way');
  }
  if (status === 0 || kindOf(error) === 'passing') {
    return make(
      'storage_unreachable',
      `the server cannot be reached or fails (${code ?? name}); ` +
        'check the network and AWS_ENDPOINT_URL_S3',
    );
  }
  return make('internal', `unexpected answer ${status} (${name}: ${message.slice(0, 300)})`);
}

function whoMay(name: string): string {
  if (/SignatureDoesNotMatch/.test(name)) return 'the secret key is wrong';
  if (UNKNOWN_KEY.test(name)) return 'the access key is not known to the server';
  if (/Expired/.test(name)) return 'the session token has expired: renew the credentials';
  return (
    'the credentials may not do this: reading needs s3:GetObject and s3:ListBucket, ' +
    'backups s3:PutObject and s3:DeleteObject too'
  );
}
