/**
 * Points in time of the embedded engine. A `pit_id` is base64url of 33 bytes:
 *
 *     0  u8 version (2) | 1 uuid of the index, 16 bytes | 17 u32 generation
 *     21 8 random bytes | 29 u32 keep_alive, milliseconds
 *
 * It names a pin (commits/pins.ts) and how long each use renews it. The id of the pin is a hash of
 * the random bytes and the caller, or the caller's tenant: others cannot use or close the point in
 * time, whatever they know of its id. Nothing else is stored: it outlives the process, and works in
 * every process of the machine.
 */
import { hash, randomBytes } from 'node:crypto';
import {
  type CallContext,
  type ClosePitRequest,
  LhsError,
  type OpenPitRequest,
  type PointInTime,
} from '@lakehouse-search/contract';
import { checkClosePitRequest, checkOpenPitRequest } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import type { KnownIndex, OpenIndex } from '../../open/open-index.ts';
import type { PinName } from '../../open/pinned-index.ts';
import { accessible, shareOf } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';

const LEAST_MILLIS = 1000;
const ID_BYTES = 33;
const ID_VERSION = 2;
const NONCE_BYTES = 8;

interface PitName extends PinName {
  readonly keepMillis: number;
}

/** The id of the pin of a caller's point in time. */
const pinIdOf = (nonce: Buffer, call: CallContext): string =>
  hash('sha256', Buffer.concat([nonce, Buffer.from(shareOf(call))])).slice(0, 16);

/** Pins the newest commit of an index. Throws invalid_argument, limit_exceeded, index_not_built. */
export function openPit(
  indexes: LocalIndexes,
  request: OpenPitRequest,
  call: CallContext = {},
): PointInTime {
  const { index, keepMillis } = checkOpenPitRequest(request);
  const known = accessible(indexes, index, call);
  const nonce = randomBytes(NONCE_BYTES);
  const { generation, pin } = indexes.pin(known, keepMillis, pinIdOf(nonce, call));
  const pit_id = writeId(known.registered.uuid, generation, nonce, keepMillis);
  const open = holdPit(indexes, known, pit_id, call);
  try {
    return {
      pit_id,
      expires_at: new Date(pin.expiresAt).toISOString(),
      snapshot: open.snapshot.checkpoint?.snapshot_id ?? null,
      index_generation: generation,
    };
  } finally {
    open.snapshot.release();
  }
}

/** Lets go of a point in time; false where it was closed or had expired. Throws not_found. */
export function closePit(
  indexes: LocalIndexes,
  request: ClosePitRequest,
  call: CallContext = {},
): { closed: boolean } {
  const { index, pit_id } = checkClosePitRequest(request);
  const known = accessible(indexes, index, call);
  return { closed: indexes.unpin(known, pitOf(known, pit_id, call)) };
}

/**
 * The commit of a point in time. The caller releases its snapshot. The point in time lasts for its
 * keep_alive from now on. Throws not_found where it is closed, expired, of another index or of
 * another caller.
 */
export function holdPit(
  indexes: LocalIndexes,
  known: KnownIndex,
  pitId: string,
  call: CallContext,
): OpenIndex {
  const pit = pitOf(known, pitId, call);
  try {
    return indexes.holdPinned(known, pit, pit.keepMillis);
  } catch (error) {
    if (error instanceof LhsError && error.code === 'not_found') throw notOpen(known, pitId);
    throw error;
  }
}

function writeId(uuid: string, generation: number, nonce: Buffer, keepMillis: number): string {
  const bytes = Buffer.alloc(ID_BYTES);
  bytes[0] = ID_VERSION;
  bytes.write(uuid.replaceAll('-', ''), 1, 'hex');
  bytes.writeUInt32LE(generation, 17);
  nonce.copy(bytes, 21);
  bytes.writeUInt32LE(keepMillis, 29);
  return bytes.toString('base64url');
}

/** What an id names. Throws not_found unless it is one of this very index. */
function pitOf(known: KnownIndex, pitId: string, call: CallContext): PitName {
  const bytes = Buffer.from(pitId, 'base64url');
  const { uuid } = known.registered;
  const own = bytes.subarray(1, 17).toString('hex') === uuid.replaceAll('-', '');
  const exact = bytes.length === ID_BYTES && bytes.toString('base64url') === pitId;
  if (!own || !exact || bytes[0] !== ID_VERSION) throw notOpen(known, pitId);
  const keepMillis = Math.min(Math.max(bytes.readUInt32LE(29), LEAST_MILLIS), LIMITS.pinMillis);
  const id = pinIdOf(bytes.subarray(21, 21 + NONCE_BYTES), call);
  return { generation: bytes.readUInt32LE(17), id, keepMillis };
}

/** The same words for all of them: an id tells nothing about what it does not open. */
function notOpen({ definition }: KnownIndex, pitId: string): LhsError {
  const shown = pitId.length > 60 ? `${pitId.slice(0, 60)}…` : pitId;
  const message = `there is no point in time "${shown}" of index "${definition.index}"`;
  return new LhsError('not_found', message, {
    hint: 'it was closed, has expired, or is of another index or caller: open a new one',
  });
}
