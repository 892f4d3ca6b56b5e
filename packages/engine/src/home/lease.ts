/**
 * Leases: objects that say that a backup or a prune is running, so that a prune never deletes
 * chunks that a backup relies on (docs/adr/backups.md). A lease is dead if its process is known to
 * be gone, or if it was not renewed for `LEASE_MS`. That of a backup names its manifest: whoever
 * takes the backup for dead takes this name first, so that it cannot appear later.
 */
import { randomUUID } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import { isGone, type ProcessIdentity, thisProcess } from '../base/process-identity.ts';
import type { Clock } from '../base/time/clock.ts';
import { inStore } from '../source/store-errors.ts';
import { ENDED, MANIFEST_KEY, type Repository } from './repository.ts';

/** What a lease is for. */
export type LeaseKind = 'backup' | 'prune';

const LEASE_MS = 30 * 60_000;
const LEASE_BYTES = 4096;
/** How long a backup waits for a prune, and how often it looks. */
const WAIT_MS = 60_000;
const LOOK_MS = 250;

type LeaseContent = ProcessIdentity & {
  readonly expires_ms: number;
  /** The key of the manifest that a backup will write. */
  readonly manifest?: string | undefined;
};

/** A lease whose process is taken for gone. */
export interface DeadLease {
  readonly key: string;
  /** The manifest that its backup may still write. */
  readonly manifest: string | undefined;
}

/** A lease of this process. Release it. */
export class Lease {
  readonly #repository: Repository;
  readonly #key: string;
  readonly #clock: Clock;
  readonly #manifest: string | undefined;
  #etag = '';
  #renewed = 0;

  /** `manifest`: the key of the manifest that a backup will write. */
  constructor(repository: Repository, kind: LeaseKind, clock: Clock, manifest?: string) {
    this.#repository = repository;
    this.#key = `leases/${kind}-${randomUUID()}.json`;
    this.#clock = clock;
    this.#manifest = manifest;
  }

  /** Writes the lease, or renews it once a third of its time is over. Throws if it was deleted. */
  async renew(signal?: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    if (this.#etag !== '' && now < this.#renewed + LEASE_MS / 3) return;
    const manifest = this.#manifest;
    const content: LeaseContent = { ...thisProcess(), expires_ms: now + LEASE_MS, manifest };
    const condition = this.#etag === '' ? ('absent' as const) : { etag: this.#etag };
    const bytes = Buffer.from(JSON.stringify(content));
    const { store } = this.#repository;
    const put = await inStore(() => store.put(this.#key, bytes, { condition, signal }));
    if (put === 'refused') throw this.lost();
    this.#etag = put.etag;
    this.#renewed = now;
  }

  /** Throws index_busy if the lease was deleted. */
  async assertHeld(signal?: AbortSignal): Promise<void> {
    const { store } = this.#repository;
    const found = await inStore(() => store.head(this.#key, signal));
    if (found === null) throw this.lost();
  }

  /** Deletes the lease. A fault is ignored: the lease dies with the process. */
  async release(): Promise<void> {
    await this.#repository.store.delete([this.#key]).catch(() => undefined);
  }

  /** The error of work that another process has taken for dead. */
  lost(): LhsError {
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
): Promise<{ readonly alive: readonly string[]; readonly dead: readonly DeadLease[] }> {
  const alive: string[] = [];
  const dead: DeadLease[] = [];
  await inStore(async () => {
    for await (const { key } of store.list(`leases/${kind}-`, { signal })) {
      const got = await store.get(key, { maxBytes: LEASE_BYTES, signal });
      if (typeof got === 'string') continue;
      const lease = leaseOf(got.bytes);
      const isDead = lease !== null && (lease.expires_ms <= now || isGone(lease));
      if (isDead) dead.push({ key, manifest: lease.manifest });
      else alive.push(key);
    }
  });
  return { alive, dead };
}

/** Null for a lease that cannot be read: another version may have written it. */
function leaseOf(bytes: Buffer): LeaseContent | null {
  try {
    return JSON.parse(bytes.toString()) as LeaseContent;
  } catch {
    return null;
  }
}

/**
 * Deletes the leases of work that is taken for dead, once its manifests can appear no more: they
 * are there, or their name is taken.
 */
export async function endDead(
  { store }: Repository,
  dead: readonly DeadLease[],
  signal?: AbortSignal,
): Promise<void> {
  const condition = 'absent' as const;
  await inStore(async () => {
    for (const { manifest } of dead) {
      if (manifest !== undefined && MANIFEST_KEY.test(manifest)) {
        await store.put(manifest, ENDED, { condition, signal });
      }
    }
    await store.delete(
      dead.map(({ key }) => key),
      signal,
    );
  });
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
    await endDead(repository, dead, signal);
    if (alive.length === 0) return;
    if (clock.ticks() >= until) {
      const message = `old backups in "${repository.place}" are being pruned ("${alive[0]}")`;
      throw new LhsError('index_busy', message, { hint: 'wait for it to end, then try again' });
    }
    await clock.sleep(LOOK_MS, signal);
    signal?.throwIfAborted();
  }
}
