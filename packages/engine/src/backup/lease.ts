/**
 * Leases: objects that say that a backup or a prune is running, so that a prune never deletes
 * chunks that a backup relies on (docs/adr/backups.md). A lease is dead if its process is known to
 * be gone, or if it was not renewed for `LEASE_MS`.
 */
import { randomUUID } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import type { Clock } from '../base/clock.ts';
import { isGone, type ProcessIdentity, thisProcess } from '../index/process-identity.ts';
import { inStore } from '../source/store-errors.ts';
import type { Repository } from './repository.ts';

/** What a lease is for. */
export type LeaseKind = 'backup' | 'prune';

const LEASE_MS = 30 * 60_000;
const LEASE_BYTES = 4096;
/** How long a backup waits for a prune, and how often it looks. */
const WAIT_MS = 60_000;
const LOOK_MS = 250;

type LeaseContent = ProcessIdentity & { readonly expires_ms: number };

/** A lease of this process. Release it. */
export class Lease {
  readonly #repository: Repository;
  readonly #key: string;
  readonly #clock: Clock;
  #etag = '';
  #renewed = 0;

  constructor(repository: Repository, kind: LeaseKind, clock: Clock) {
    this.#repository = repository;
    this.#key = `leases/${kind}-${randomUUID()}.json`;
    this.#clock = clock;
  }

  /** Writes the lease, or renews it once a third of its time is over. Throws if it was deleted. */
  async renew(signal?: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    if (this.#etag !== '' && now < this.#renewed + LEASE_MS / 3) return;
    const content: LeaseContent = { ...thisProcess(), expires_ms: now + LEASE_MS };
    const condition = this.#etag === '' ? ('absent' as const) : { etag: this.#etag };
    const bytes = Buffer.from(JSON.stringify(content));
    const { store } = this.#repository;
    const put = await inStore(() => store.put(this.#key, bytes, { condition, signal }));
    if (put === 'refused') throw this.#lost();
    this.#etag = put.etag;
    this.#renewed = now;
  }

  /** Throws index_busy if the lease was deleted. */
  async assertHeld(signal?: AbortSignal): Promise<void> {
    const { store } = this.#repository;
    const found = await inStore(() => store.head(this.#key, signal));
    if (found === null) throw this.#lost();
  }

  /** Deletes the lease. A fault is ignored: the lease dies with the process. */
  async release(): Promise<void> {
    await this.#repository.store.delete([this.#key]).catch(() => undefined);
  }

  #lost(): LhsError {
    const { place } = this.#repository;
    const message = `the lease "${this.#key}" in "${place}" was deleted: this process stood still`;
    return new LhsError('index_busy', message, { hint: 'start again: what was copied remains' });
  }
}

/** The keys of the leases of a kind that are alive, and of those that are dead. */
export async function leasesOf(
  { store }: Repository,
  kind: LeaseKind,
  now: number,
  signal?: AbortSignal,
): Promise<{ readonly alive: readonly string[]; readonly dead: readonly string[] }> {
  const alive: string[] = [];
  const dead: string[] = [];
  await inStore(async () => {
    for await (const { key } of store.list(`leases/${kind}-`, { signal })) {
      const got = await store.get(key, { maxBytes: LEASE_BYTES, signal });
      if (typeof got !== 'string') (isDead(got.bytes, now) ? dead : alive).push(key);
    }
  });
  return { alive, dead };
}

/** A lease that cannot be read counts as alive: another version may have written it. */
function isDead(bytes: Buffer, now: number): boolean {
  try {
    const lease = JSON.parse(bytes.toString()) as LeaseContent;
    return lease.expires_ms <= now || isGone(lease);
  } catch {
    return false;
  }
}

/**
 * Waits until no prune is running; leases of dead prunes are deleted. Throws index_busy after a
 * minute.
 */
export async function waitForPrunes(
  repository: Repository,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  const until = clock.ticks() + WAIT_MS;
  for (;;) {
    const { alive, dead } = await leasesOf(repository, 'prune', clock.now(), signal);
    if (dead.length > 0) await inStore(() => repository.store.delete(dead, signal));
    if (alive.length === 0) return;
    if (clock.ticks() >= until) {
      const message = `old backups in "${repository.place}" are being pruned ("${alive[0]}")`;
      throw new LhsError('index_busy', message, { hint: 'wait for it to end, then try again' });
    }
    await clock.sleep(LOOK_MS, signal);
    signal?.throwIfAborted();
  }
}
