/**
 * `POST /v1/pit:open`. `keep_alive`: `"30s"`, `"5m"` (default), `"1h"` (the longest), `"90000ms"`.
 */
export interface OpenPitRequest {
  readonly index?: string;
  readonly keep_alive?: string;
}

/** `POST /v1/pit:close`. */
export interface ClosePitRequest {
  readonly index?: string;
  readonly pit_id: string;
}
