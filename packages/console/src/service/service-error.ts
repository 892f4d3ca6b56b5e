import type { DefinitionIssue, ErrorPlace, NextStep } from '@lakehouse-search/contract';

/** What an error of the service says besides its message. */
export interface ErrorDetails {
  readonly hint?: string;
  readonly next?: readonly NextStep[];
  readonly place?: ErrorPlace;
  readonly retry_after_s?: number;
  readonly issues?: readonly DefinitionIssue[];
}

/** An error of the service, or of the way to it. */
export class ServiceError extends Error {
  /** A code of the service; `unreachable` if there is no answer. */
  readonly code: string;
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(code: string, message: string, status: number, details: ErrorDetails = {}) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

/** The error in a response; what is not from the service, such as a page of a proxy, by status. */
export function errorOf(status: number, text: string): ServiceError {
  try {
    const { error } = JSON.parse(text) as {
      readonly error: { code: string; message: string; details?: ErrorDetails };
    };
    return new ServiceError(error.code, error.message, status, error.details);
  } catch {
    return new ServiceError('unreachable', `the answer has HTTP status ${status}`, status);
  }
}

/** Anything that was thrown, as an error to show. */
export function shownError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new ServiceError('internal', `a fault of the console: ${reason}`, 0);
}
