import type { Principal } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';

/** A call that has just arrived, before its caller is known. */
export interface Arrival {
  /** The id of the request: the caller's, or a new one. */
  readonly request_id: string;
  /** Address of the peer. */
  readonly remote: string;
  readonly transport: 'rest' | 'grpc' | 'mcp';
}

/** Authentication and authorization of calls. */
export interface Access {
  /** Nobody is authenticated: everybody may do everything. */
  readonly isOpen?: boolean;
  /**
   * The caller of an `Authorization` header. undefined: the service is open, nobody is
   * authenticated. Throws unauthenticated for a missing or invalid header of a closed service.
   * Operations without a scope (`login`) skip it.
   */
  authenticate(
    authorization: string | undefined,
    arrival: Arrival,
  ): Principal | undefined | Promise<Principal | undefined>;
  /**
   * Throws permission_denied unless the caller's scopes permit the operation. `index` is the name
   * as requested; a backend checks the resolved index against `principal.indexes`.
   */
  authorize(principal: Principal | undefined, operation: Operation, index?: string): void;
  /**
   * The same by scopes alone, before the request is known. Absent: every caller may send its
   * request.
   */
  permit?(principal: Principal | undefined, operation: Operation): void;
}
