import { createPrivateKey } from 'node:crypto';
import {
  type BackupRequest,
  type BackupResponse,
  type BackupStatus,
  type BackupStatusRequest,
  type BackupSummary,
  type BackupTarget,
  type CallContext,
  LhsError,
  type ListBackupsRequest,
  type PruneBackupsRequest,
  type PruneResponse,
  type RestoreRequest,
  type RestoreResponse,
} from '@lakehouse-search/contract';
import {
  checkBackupRequest,
  checkBackupStatusRequest,
  checkListBackupsRequest,
  checkPruneBackupsRequest,
  checkRestoreRequest,
  isListed,
  requireListed,
} from '@lakehouse-search/contract/internal';
import type { Definition } from '@lakehouse-search/engine';
import {
  type ClusterBackup,
  definitionAt,
  type FoundClusterBackup,
  listClusterBackups,
  listPartFolders,
  registeredDefinition,
  removeClusterBackups,
  rowsDigest,
  type SigningOptions,
  writeClusterBackup,
} from '@lakehouse-search/engine/internal';
import { withoutCopies } from '../../cluster/without-copies.ts';
import { requireWhole } from './cluster-caller.ts';
import { atDifferentSnapshots, type BuiltPart, type IndexNodes } from './index-nodes.ts';
import { restoreParts } from './restore-parts.ts';

/** A place of backups: of the cluster, and as nodes are requested to use it. */
interface Place {
  readonly whole: string;
  readonly prefix: string;
  readonly target: string;
  /** The target of the request; absent: nodes have the same configuration. */
  readonly named: Pick<BackupTarget, 'target'>;
}

/** The repository of some shards. */
export interface PartPlace {
  readonly place: string;
  /** The shards, as `0-2`. */
  readonly ordinals: string;
}

/** Which definitions of backups are taken. */
export interface BackupTrust {
  /** The private key, PEM, that signs the backups of the cluster. */
  readonly key: () => Promise<string>;
  /** Judges the definition of a backup that the key has not signed: throws to refuse it. */
  readonly admit: (definition: Definition) => void;
}

/** Nodes commit a step one after the other: their backups are tried again until they agree. */
const ATTEMPTS = 5;

/** Backups of all shards of an index, at one snapshot (docs/adr/control-plane.md). */
export class ClusterBackupApi {
  readonly #nodes: IndexNodes;
  readonly #target: string | undefined;
  readonly #trust: BackupTrust;

  constructor(nodes: IndexNodes, target: string | undefined, trust: BackupTrust) {
    this.#nodes = nodes;
    this.#target = target;
    this.#trust = trust;
  }

  /** Throws unsupported without a target, index_not_built, unreachable, index_busy. */
  async backup(request: BackupRequest, call: CallContext = {}): Promise<BackupResponse> {
    const { index: asked, verify = false, ...at } = checkBackupRequest(request);
    requireWhole(call, 'backup');
    const nodes = this.#nodes;
    const began = performance.now();
    const index = await nodes.resolve(asked, call);
    const place = this.#place(at);
    for (let attempt = 1; ; attempt++) {
      const definition = await nodes.definition(index);
      const parts = await this.#backUpParts(index, definition, place, verify, call);
      const answers = parts.map(({ answer }) => answer);
      const [{ snapshot }] = answers;
      const sum = (name: 'num_docs' | 'file_count' | 'bytes' | 'files_copied' | 'bytes_copied') =>
        answers.reduce((total, answer) => total + answer[name], 0);
      if (answers.every((answer) => answer.snapshot === snapshot)) {
        const aliases = (await nodes.aliases()).filter((one) => one.index === index);
        const made = await writeClusterBackup(
          place.whole,
          {
            ...{ index, definition, snapshot, created_ms: Date.now() },
            index_generation: Math.max(...answers.map((answer) => answer.index_generation)),
            ...{ num_docs: sum('num_docs'), file_count: sum('file_count'), bytes: sum('bytes') },
            aliases: aliases.map(({ alias }) => alias),
            parts: parts.map(({ prefix, ordinals, answer: { backup } }) => {
              return { prefix, ordinals, backup };
            }),
          },
          await this.#signing(call),
        );
        const copied = { files_copied: sum('files_copied'), bytes_copied: sum('bytes_copied') };
        const took_ms = Math.round(performance.now() - began);
        const { target, prefix } = place;
        return { ...summary(made), target, prefix, ...copied, verified: verify, took_ms };
      }
      if (attempt < ATTEMPTS) continue;
      throw atDifferentSnapshots();
    }
  }

  /** The newest backup of an index. */
  async backupStatus(request: BackupStatusRequest, call: CallContext = {}): Promise<BackupStatus> {
    const { index: asked, ...at } = checkBackupStatusRequest(request);
    requireWhole(call, 'backupStatus');
    const index = await this.#nodes.resolve(asked, call);
    if ((at.target ?? this.#target) === undefined) return { configured: false, present: false };
    const { whole } = this.#place(at);
    const listed = await listClusterBackups(whole, index, await this.#signing(call));
    const [newest] = listed ?? [];
    if (newest === undefined) return { configured: true, present: false };
    const { id: backup, snapshot, created_ms, file_count } = newest;
    return { configured: true, present: true, backup, snapshot, created_ms, file_count };
  }

  async listBackups(request: ListBackupsRequest = {}, call: CallContext = {}) {
    const { index, ...at } = checkListBackupsRequest(request);
    requireWhole(call, 'listBackups');
    return (await this.#listed(index, this.#place(at), call)).map(summary);
  }

  /** The parts of backups that go are deleted on the nodes, and what only they use. */
  async pruneBackups(request: PruneBackupsRequest, call: CallContext = {}): Promise<PruneResponse> {
    const { index, keep, ...at } = checkPruneBackupsRequest(request);
    requireWhole(call, 'pruneBackups');
    const place = this.#place(at);
    const all = await this.#listed(index, place, call);
    const byIndex = [...Map.groupBy(all, (backup) => backup.index).values()];
    const removed = byIndex.flatMap((own) => own.slice(keep));
    await removeClusterBackups(place.whole, removed);
    const kept = byIndex.flatMap((own) => own.slice(0, keep));
    const pruned = await this.#pruneParts(all, kept, place, call);
    return {
      backups_removed: removed.map(({ id }) => id),
      backups_kept: kept.length,
      files_removed: pruned.reduce((sum, one) => sum + one.files_removed, 0),
      bytes_removed: pruned.reduce((sum, one) => sum + one.bytes_removed, 0),
      deferred: pruned.some(({ deferred }) => deferred),
    };
  }

  /** Throws not_found, index_exists, already_exists, unreachable, and what nodes throw. */
  async restore(request: RestoreRequest, call: CallContext = {}): Promise<RestoreResponse> {
    const { index, backup, as, aliases = 'all', base_dir, ...at } = checkRestoreRequest(request);
    requireWhole(call, 'restore');
    if (base_dir !== undefined) {
      throw new LhsError('unsupported', '"base_dir" is not for indexes of a cluster');
    }
    const began = performance.now();
    const place = this.#place(at);
    const chosen = await this.#chosen(index, backup, place, call);
    const name = as ?? chosen.index;
    requireListed(call, name);
    if (!chosen.isSigned) this.#trust.admit(definitionAt(chosen.definition, ''));
    const named = { ...place.named, aliases };
    const done = await restoreParts(this.#nodes, chosen, name, named, call);
    const took_ms = Math.round(performance.now() - began);
    return { ...summary(chosen), index: name, ...done, saved_queries: [], took_ms };
  }

  /** The repositories of shards in the target of the cluster, and in others that are named. */
  async partPlaces(others: readonly string[], call: CallContext): Promise<readonly PartPlace[]> {
    const own = this.#target === undefined ? [] : [this.#target];
    const found = [...new Set([...own, ...others])].map(async (target) => {
      const folders = await listPartFolders(target, call.signal);
      return folders.map((folder): PartPlace => {
        const place = `${target.replace(/\/+$/, '')}/${folder}`;
        return { place, ordinals: folder.replace('parts/', '') };
      });
    });
    return (await Promise.all(found)).flat();
  }

  /**
   * Makes a new backup of an index in each target that has one of these parts, then makes the
   * backups with these parts invisible: nodes may delete them.
   */
  async replace(
    index: string,
    { parts, others }: { readonly parts: ReadonlySet<string>; readonly others: readonly string[] },
    call: CallContext,
  ): Promise<{ readonly made: number; readonly removed: number }> {
    const targets = new Set([...(this.#target === undefined ? [] : [this.#target]), ...others]);
    let [made, removed] = [0, 0];
    for (const target of targets) {
      const all = (await listClusterBackups(target, index, await this.#signing(call))) ?? [];
      const holding = all.filter((one) => one.parts.some(({ backup }) => parts.has(backup)));
      if (holding.length === 0) continue;
      const named = target === this.#target ? {} : { target };
      await this.backup({ index, ...named }, call);
      await removeClusterBackups(target, holding);
      made++;
      removed += holding.length;
    }
    return { made, removed };
  }

  async #signing({ signal }: CallContext): Promise<SigningOptions> {
    return { key: createPrivateKey(await this.#trust.key()), signal };
  }

  #place({ target: named, prefix = '' }: BackupTarget): Place {
    const target = named ?? this.#target;
    if (target === undefined) {
      throw new LhsError('unsupported', 'there is no backup target', {
        hint: 'configure "backup_target", the same for the control planes and all nodes',
      });
    }
    const whole = prefix === '' ? target : `${target.replace(/\/+$/, '')}/${prefix}`;
    return { whole, prefix, target, named: named === undefined ? {} : { target: named } };
  }

  /**
   * Nodes back up their shards to repositories of these shards: of two copies of a shard, one.
   * Throws index_busy unless all nodes have this definition before and after.
   */
  async #backUpParts(
    index: string,
    definition: string,
    place: Place,
    verify: boolean,
    call: CallContext,
  ) {
    const built = async () => {
      const parts = await this.#nodes.parts(index, call);
      requireDefinition(index, definition, parts);
      return parts;
    };
    const parts = await Promise.all(
      withoutCopies(await built()).map(async ({ address, ordinals }) => {
        const prefix = [place.prefix, 'parts', ordinals.join('-')].filter((part) => part !== '');
        const own = { index, prefix: prefix.join('/'), verify, ...place.named };
        const answer = await this.#nodes.service(address).backup(own, call);
        return { prefix: own.prefix, ordinals, answer };
      }),
    );
    await built();
    return parts;
  }

  async #listed(index: string | undefined, place: Place, call: CallContext) {
    if (index !== undefined) requireListed(call, index);
    const all = await listClusterBackups(place.whole, index, await this.#signing(call));
    if (all === null) throw new LhsError('not_found', `"${place.whole}" holds no backups`);
    return all.filter((backup) => isListed(call, backup.index));
  }

  async #chosen(
    index: string | undefined,
    backup: string | undefined,
    place: Place,
    call: CallContext,
  ): Promise<FoundClusterBackup> {
    const all = await this.#listed(index, place, call);
    const found = backup === undefined ? all : all.filter(({ id }) => id === backup);
    const names = [...new Set(found.map((one) => one.index))].sort();
    if (names.length > 1) {
      const message = `"${place.whole}" has backups of ${names.length} indexes: name one`;
      const hint = `indexes: ${names.slice(0, 20).join(', ')}`;
      throw new LhsError('invalid_argument', message, { hint });
    }
    if (found.length > 0) return found[0];
    const what = [backup, index].filter((part) => part !== undefined).join('" of "');
    const shown = what === '' ? '' : ` "${what}"`;
    throw new LhsError('not_found', `there is no backup${shown} in "${place.whole}"`);
  }

  /**
   * Nodes keep as many of their newest backups as the oldest one needs that a backup of the cluster
   * names: attempts that failed may be among them.
   */
  async #pruneParts(
    all: readonly ClusterBackup[],
    kept: readonly ClusterBackup[],
    { named }: Place,
    call: CallContext,
  ): Promise<readonly PruneResponse[]> {
    const [{ address }] = await this.#nodes.nodes();
    const service = this.#nodes.service(address);
    const places = new Map(
      all.flatMap(({ index, parts }) =>
        parts.map(({ prefix }) => [`${index} ${prefix}`, { index, prefix }] as const),
      ),
    );
    const pruned: PruneResponse[] = [];
    for (const { index, prefix } of places.values()) {
      const needed = new Set(
        kept
          .filter((backup) => backup.index === index)
          .flatMap(({ parts }) => parts.filter((part) => part.prefix === prefix))
          .map(({ backup }) => backup),
      );
      const own = { index, prefix, ...named };
      const present = await service.listBackups(own, call);
      const oldest = present.findLastIndex(({ backup }) => needed.has(backup));
      pruned.push(await service.pruneBackups({ ...own, keep: Math.max(1, oldest + 1) }, call));
    }
    return pruned;
  }
}

/** Throws index_busy while nodes have built their shards with another definition. */
export function requireDefinition(index: string, text: string, parts: readonly BuiltPart[]): void {
  const digest = rowsDigest(registeredDefinition(text));
  // read restrictions follow the digest
  if (parts.every(({ definition }) => definition.split('+')[0] === digest)) return;
  throw new LhsError('index_busy', `the definition of "${index}" is being changed`, {
    hint: 'try again when the change has ended',
    next: [{ step: 'list_jobs' }],
  });
}

function summary(backup: ClusterBackup): BackupSummary {
  const { id, index, created_ms, snapshot, index_generation } = backup;
  const { num_docs, file_count, bytes } = backup;
  return {
    ...{ backup: id, index, created_ms, snapshot, index_generation },
    ...{ num_docs, file_count, bytes },
  };
}
