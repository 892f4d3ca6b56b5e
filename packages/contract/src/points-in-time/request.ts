/**
 * `POST /v1/pit:open`. `keep_alive`: `"30s"`, `"5m"` (default), `"1h"` (the longest), `"90000ms"`.
 */
export interface OpenPitRequest {
  readonly index?: string | undefined;
  readonly keep_alive?: string | undefined;
}

/** `POST /v1/pit:close`. */
export interface ClosePitRequest {
  readonly index?: string | undefined;
  readonly pit_id: string;
}
