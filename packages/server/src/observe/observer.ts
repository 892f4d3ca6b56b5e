import type { ErrorCode } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';
import type { SpanRecord } from './trace-context.ts';

/** A call that has ended. */
export interface CallRecord extends SpanRecord {
  readonly request_id: string;
  /** Address of the peer. */
  readonly remote: string;
  readonly transport: 'rest' | 'grpc' | 'mcp';
  /** Absent: no route, or the header was refused before the operation was known. */
  readonly operation?: Operation;
  /** As requested; if the request names none, as the response names it. */
  readonly index?: string;
  /** Absent: nobody was authenticated. */
  readonly subject?: string;
  readonly tenant?: string;
  /** HTTP status; a gRPC call has the status that its code maps to. */
  readonly status: number;
  /** Absent: it succeeded. */
  readonly code?: ErrorCode;
  /** What caused an error; a client never sees it. */
  readonly cause?: unknown;
  /** From the arrival of the header to the end of the response. */
  readonly micros: number;
  /** Bytes of the bodies, uncompressed. */
  readonly bytes_in: number;
  readonly bytes_out: number;
}

/** What metrics, access log and audit log are made of. It must not throw. */
export interface Observer {
  ended(record: CallRecord): void;
}
