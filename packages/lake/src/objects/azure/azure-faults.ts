import { LakeError } from '../../base/errors.ts';
import { type FaultKind, type FaultRules, isPassing, retryAfter } from '../store-requests.ts';

/** An error of the SDK, as far as it is read here. */
interface SdkFault {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly statusCode?: number;
  readonly details?: { readonly errorCode?: string };
  readonly response?: { readonly headers?: { get(name: string): string | undefined } };
}

const statusOf = (error: unknown): number => (error as SdkFault).statusCode ?? 0;

/** The code that the service names: answers to HEAD have it in a header alone. */
const codeOf = (error: unknown): string => {
  const { code, details, name } = error as SdkFault;
  return details?.errorCode ?? code ?? name ?? '';
};

/** How errors of the SDK are read. */
export const AZURE_FAULTS: FaultRules = Object.freeze({
  kindOf: (error: unknown): FaultKind => {
    const status = statusOf(error);
    if (/^(ServerBusy|OperationTimedOut|InternalError|REQUEST_SEND_ERROR)$/.test(codeOf(error))) {
      return 'passing';
    }
    if (isPassing(error, status)) return 'passing';
    // a blob that is there refuses "If-None-Match: *" with 409
    if (status === 412 || (status === 409 && codeOf(error) === 'BlobAlreadyExists')) {
      return 'refused';
    }
    return status === 404 && codeOf(error) !== 'ContainerNotFound' ? 'missing' : 'fatal';
  },
  retryAfterMs: (error: unknown): number | null =>
    retryAfter((error as SdkFault).response?.headers?.get('retry-after')),
});

/** The error of a request for `object` (`az://…`) that failed for good. */
export function azureFault(error: unknown, object: string, account: string): LakeError {
  if (error instanceof LakeError) return error;
  const [status, code] = [statusOf(error), codeOf(error)];
  const make = (kind: ConstructorParameters<typeof LakeError>[0], what: string) =>
    new LakeError(kind, `"${object}" of account "${account}": ${what}`, {
      file: object,
      details: { account, status, reason: code },
    });
  if (code === 'ContainerNotFound') {
    return make('table_not_found', 'there is no such container; check its name and the account');
  }
  if (/Credential|AuthenticationRequired/.test(`${code} ${(error as SdkFault).name}`)) {
    return make(
      'permission_denied',
      'no credentials were found; set AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or ' +
        'AZURE_STORAGE_SAS_TOKEN, or AZURE_STORAGE_CONNECTION_STRING, or run "az login"',
    );
  }
  if (status === 401 || status === 403) {
    return make(
      'permission_denied',
      `access denied (${code}); the credentials need the role "Storage Blob Data Contributor", ` +
        'for reads "Storage Blob Data Reader"',
    );
  }
  if (status === 0 || AZURE_FAULTS.kindOf(error) === 'passing') {
    return make('storage_unreachable', `the service cannot be reached or fails (${code})`);
  }
  const { message = '' } = error as SdkFault;
  return make('internal', `unexpected answer ${status} (${code}: ${message.slice(0, 300)})`);
}
