import { INDEX } from '../examples.ts';
import { operation } from '../operation.ts';
import { checkClosePitRequest, checkOpenPitRequest } from './check.ts';

/** The operations of points in time. */
export const PIT_OPERATIONS = Object.freeze({
  openPit: operation('POST /v1/pit:open', 'Search/OpenPit', {
    member: 'pits.open',
    scope: 'search',
    tenants: true,
    check: checkOpenPitRequest,
    example: { ...INDEX, keep_alive: '5m' },
  }),
  closePit: operation('POST /v1/pit:close', 'Search/ClosePit', {
    member: 'pits.close',
    scope: 'search',
    tenants: true,
    idempotent: true,
    check: checkClosePitRequest,
    example: { ...INDEX, pit_id: 'p-1' },
  }),
});
