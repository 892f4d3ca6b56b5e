import { type NextStep, type SyncedBy, syncStep } from './next-step.ts';

/**
 * The one literal table of error codes: HTTP status, gRPC status, and exit
 * code of the command line. Closed: a new code is added here, in docs/command-line.md and in the
 * pins test.
 */
export const ERROR_CODES = {
  invalid_argument: { status: 400, grpc: 'INVALID_ARGUMENT', exit: 2 },
  invalid_query: { status: 400, grpc: 'INVALID_ARGUMENT', exit: 2 },
  invalid_definition: { status: 400, grpc: 'INVALID_ARGUMENT', exit: 2 },
  limit_exceeded: { status: 400, grpc: 'INVALID_ARGUMENT', exit: 2 },
  unauthenticated: { status: 401, grpc: 'UNAUTHENTICATED', exit: 4 },
  permission_denied: { status: 403, grpc: 'PERMISSION_DENIED', exit: 4 },
  index_not_found: { status: 404, grpc: 'NOT_FOUND', exit: 3 },
  not_found: { status: 404, grpc: 'NOT_FOUND', exit: 3 },
  source_not_found: { status: 404, grpc: 'NOT_FOUND', exit: 3 },
  index_exists: { status: 412, grpc: 'FAILED_PRECONDITION', exit: 5 },
  already_exists: { status: 412, grpc: 'FAILED_PRECONDITION', exit: 5 },
  index_not_built: { status: 412, grpc: 'FAILED_PRECONDITION', exit: 5 },
  index_busy: { status: 412, grpc: 'FAILED_PRECONDITION', exit: 5 },
  fenced: { status: 412, grpc: 'FAILED_PRECONDITION', exit: 5 },
  checkpoint_gap: { status: 412, grpc: 'FAILED_PRECONDITION', exit: 5 },
  snapshot_not_reached: { status: 412, grpc: 'FAILED_PRECONDITION', exit: 5 },
  source_changed: { status: 412, grpc: 'FAILED_PRECONDITION', exit: 5 },
  schema_changed: { status: 412, grpc: 'FAILED_PRECONDITION', exit: 5 },
  model_unavailable: { status: 412, grpc: 'FAILED_PRECONDITION', exit: 5 },
  model_mismatch: { status: 412, grpc: 'FAILED_PRECONDITION', exit: 5 },
  disk_short: { status: 412, grpc: 'FAILED_PRECONDITION', exit: 5 },
  source_invalid: { status: 500, grpc: 'INTERNAL', exit: 1 },
  source_unreachable: { status: 503, grpc: 'UNAVAILABLE', exit: 7 },
  unsupported: { status: 501, grpc: 'UNIMPLEMENTED', exit: 1 },
  corrupt_index: { status: 500, grpc: 'DATA_LOSS', exit: 1 },
  overloaded: { status: 429, grpc: 'RESOURCE_EXHAUSTED', exit: 1 },
  disk_full: { status: 500, grpc: 'INTERNAL', exit: 1 },
  io_error: { status: 500, grpc: 'INTERNAL', exit: 1 },
  unreachable: { status: 503, grpc: 'UNAVAILABLE', exit: 7 },
  closed: { status: 503, grpc: 'UNAVAILABLE', exit: 1 },
  deadline_exceeded: { status: 504, grpc: 'DEADLINE_EXCEEDED', exit: 1 },
  interrupted: { status: 499, grpc: 'CANCELLED', exit: 130 },
  internal: { status: 500, grpc: 'INTERNAL', exit: 1 },
} as const;

/** The code of an error. */
export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * The location of an error in a text: half-open range in UTF-16 units, with the text itself, so
 * that a caret can be drawn.
 */
export interface ErrorPlace {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** The way out of an error. */
export interface ErrorAdvice {
  readonly hint?: string;
  readonly next?: readonly NextStep[];
}

/**
 * The one error class. `message`: lower case, quotes the offending value and names the expected
 * one. `hint`: the nearest valid value, or the way out in a sentence; it names no command and no
 * flag. `next`: operations that are the way out. `place`: where in a query or definition.
 */
export class LhsError extends Error {
  /** What went wrong; it decides the HTTP status and the exit code. */
  readonly code: ErrorCode;
  /** The way out, in a sentence. */
  readonly hint: string | undefined;
  /** Operations that are the way out. */
  readonly next: readonly NextStep[];
  /** Where in a query or a definition. */
  readonly place: ErrorPlace | undefined;
  /** Values that a program can read. */
  readonly details: Readonly<Record<string, unknown>>;

  /** An error with its way out. */
  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorAdvice & {
      readonly place?: ErrorPlace;
      readonly details?: Readonly<Record<string, unknown>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = code === 'interrupted' ? 'AbortError' : 'LhsError';
    this.code = code;
    this.hint = options.hint;
    this.next = Object.freeze([...(options.next ?? [])]);
    this.place = options.place;
    this.details = Object.freeze({ ...options.details });
  }

  /** The HTTP status of the code. */
  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}

/** The error of a call whose signal was aborted: its name is that of an abort or of a timeout. */
export function abortedBy({ reason }: AbortSignal): LhsError {
  const error = new LhsError('interrupted', 'the call was aborted', { cause: reason });
  if ((reason as Error | null)?.name === 'TimeoutError') error.name = 'TimeoutError';
  return error;
}

/** Throws `interrupted` once the signal is aborted. */
export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedBy(signal);
}

/** Whether an error means that a process or a database did not answer. */
export const isUnreachable = (error: unknown): error is LhsError =>
  error instanceof LhsError && error.code === 'unreachable';

/** The wire form of an error. */
export function errorBody(error: LhsError): {
  error: { code: ErrorCode; status: number; message: string; details: Record<string, unknown> };
} {
  const details: Record<string, unknown> = { ...error.details };
  if (error.hint !== undefined) details.hint = error.hint;
  if (error.next.length > 0) details.next = error.next;
  if (error.place !== undefined) {
    details.position = error.place.from;
    details.place = error.place;
  }
  return { error: { code: error.code, status: error.status, message: error.message, details } };
}

/** An error of work on an index that its caller cannot sync: it names the status instead. */
export function withoutSync(error: unknown, synced_by: SyncedBy): unknown {
  if (!(error instanceof LhsError) || !error.next.some(({ step }) => step === 'sync')) return error;
  const { code, message, hint, place, details, cause } = error;
  const next = error.next.map((own) =>
    own.step === 'sync' ? syncStep(own.index, synced_by) : own,
  );
  const placed = place === undefined ? {} : { place };
  return new LhsError(code, message, { ...placed, hint, next, details, cause });
}
