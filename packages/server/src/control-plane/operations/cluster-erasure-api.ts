/**
 * Erasure over nodes:
 *
 * 1. All nodes check. A row that is in the table, or that a node has not deleted yet, refuses the
 *    run before any node has changed something.
 * 2. All nodes erase in their shards; then the records of this server are searched.
 * 3. If backups are to be replaced: a backup of all shards is made, backups whose parts hold data
 *    become invisible, and the nodes delete these parts.
 * 4. One statement is made of those of all nodes, and signed with the key of this server.
 */
import { createPrivateKey } from 'node:crypto';
import { basename } from 'node:path';
import type {
  CallContext,
  ErasureActions,
  ErasureCheckRequest,
  ErasureKey,
  ErasureReport,
  ErasureResponse,
  ErasureRunRequest,
  ListRequest,
  ReceiptVerdict,
  VerifyReceiptRequest,
} from '@lakehouse-search/contract';
import {
  checkErasureCheckRequest,
  checkErasureRunRequest,
  checkListRequest,
  checkVerifyReceiptRequest,
  type ErasureApi,
  type ServiceApi,
} from '@lakehouse-search/contract/internal';
import {
  keyId,
  publicPem,
  readPublicKey,
  requireErasable,
  signReceipt,
  verifyReceipt,
} from '@lakehouse-search/engine/internal';
import {
  type ErasurePart,
  mergeActions,
  mergeReports,
  mergeStatements,
} from '../../cluster/merge-erasure.ts';
import type { ClusterBackupApi } from './cluster-backup-api.ts';
import { requireWhole } from './cluster-caller.ts';
import type { ErasedRecords, RecordSearch } from './erased-records.ts';
import type { IndexNodes, IndexPart } from './index-nodes.ts';
import { allOf } from './make-parts.ts';

/** What erasures of a cluster are made of. */
export interface ClusterErasureOptions {
  readonly nodes: IndexNodes;
  readonly backups: ClusterBackupApi;
  /** The records of this server; absent: nodes have all. */
  readonly records?: ErasedRecords | undefined;
  /** The private key of receipts, in PEM. */
  readonly receiptKey: () => Promise<string>;
}

/** A node of an erasure, and the repositories of backups that it examines. */
interface ErasingPart extends IndexPart {
  readonly places: readonly string[];
}

const NONE: ErasureActions = {
  points_in_time_closed: 0,
  segments_rewritten: 0,
  generations_removed: 0,
  cache_entries_removed: 0,
  saved_queries_removed: 0,
  history_lines_removed: 0,
  job_records_removed: 0,
  backups_made: 0,
  backups_removed: 0,
};

/** Checks and runs of erasures over all shards of an index, with one receipt. */
export class ClusterErasureApi implements ErasureApi {
  readonly #options: ClusterErasureOptions;

  constructor(options: ClusterErasureOptions) {
    this.#options = options;
  }

  async checkErasure(request: ErasureCheckRequest, call: CallContext = {}): Promise<ErasureReport> {
    const checked = checkErasureCheckRequest(request);
    requireWhole(call, 'checkErasure');
    const index = await this.#options.nodes.resolve(checked.index, call);
    const parts = await this.#parts(index, checked, call);
    return this.#check(index, checked, parts, call);
  }

  /** Throws already_exists, snapshot_not_reached, index_busy, and what nodes throw. */
  async runErasure(request: ErasureRunRequest, call: CallContext = {}): Promise<ErasureResponse> {
    const { replace_backups: replaces = false, ...run } = checkErasureRunRequest(request);
    requireWhole(call, 'runErasure');
    const began = performance.now();
    const startedAt = new Date().toISOString();
    const { nodes } = this.#options;
    const index = await nodes.resolve(run.index, call);
    const parts = await this.#parts(index, run, call);
    requireErasable(await this.#check(index, run, parts, call));
    const done = await this.#runAll(index, run, parts, call);
    const actions: ErasureActions[] = done.map(({ answer }) => answer.actions);
    const records = await this.#recordSearch(index, run);
    actions.push({ ...NONE, ...(await this.#options.records?.remove(records)) });
    let last = done;
    if (replaces && done.some(({ answer }) => holdsBackup(answer.report))) {
      actions.push(await this.#replaceBackups(index, run.backups ?? [], done, call));
      last = await this.#runAll(index, { ...run, replace_backups: true }, parts, call);
      actions.push(...last.map(({ answer }) => answer.actions));
    }
    const reports = last.map(({ node, answer }) => ({ node, answer: answer.report }));
    const report = await this.#report(index, run, reports);
    const whole = { report, actions: mergeActions(actions), startedAt };
    const statement = mergeStatements(last, { ...whole, endedAt: new Date().toISOString() });
    const receipt = signReceipt(statement, createPrivateKey(await this.#options.receiptKey()));
    const took_ms = Math.round(performance.now() - began);
    return { report, actions: whole.actions, receipt, took_ms };
  }

  async erasureKey(request?: ListRequest, call: CallContext = {}): Promise<ErasureKey> {
    checkListRequest(request);
    requireWhole(call, 'erasureKey');
    const key = createPrivateKey(await this.#options.receiptKey());
    return { key_id: keyId(key), public_key: publicPem(key) };
  }

  async verifyReceipt(
    request: VerifyReceiptRequest,
    call: CallContext = {},
  ): Promise<ReceiptVerdict> {
    const { receipt, public_key: pem, keys } = checkVerifyReceiptRequest(request);
    requireWhole(call, 'verifyReceipt');
    const own = async () => publicPem(createPrivateKey(await this.#options.receiptKey()));
    return verifyReceipt(receipt, readPublicKey(pem ?? (await own())), keys);
  }

  /** Each repository of parts is examined by one node: by its own if it is there. */
  async #parts(
    index: string,
    { backups = [] }: ErasureCheckRequest,
    call: CallContext,
  ): Promise<readonly ErasingPart[]> {
    const { nodes, backups: own } = this.#options;
    const parts = await nodes.parts(index, call);
    const places = await own.partPlaces(backups, call);
    const holderOf = (ordinals: string) =>
      Math.max(
        0,
        parts.findIndex((part) => part.ordinals.join('-') === ordinals),
      );
    return parts.map((part, i) => ({
      ...part,
      places: [
        ...places.filter(({ ordinals }) => holderOf(ordinals) === i).map(({ place }) => place),
        ...(i === 0 ? backups : []),
      ],
    }));
  }

  async #check(
    index: string,
    request: ErasureCheckRequest,
    parts: readonly ErasingPart[],
    call: CallContext,
  ): Promise<ErasureReport> {
    const reports = await this.#ofAll(parts, (service, backups) =>
      service.checkErasure({ ...request, index, backups }, call),
    );
    return this.#report(index, request, reports);
  }

  /** The report of all nodes, of this server's records, and about nodes that are away. */
  async #report(
    index: string,
    request: ErasureCheckRequest,
    reports: readonly ErasurePart<ErasureReport>[],
  ): Promise<ErasureReport> {
    const { nodes, records } = this.#options;
    const merged = mergeReports(reports, await nodes.absent(index));
    const found = await records?.search(await this.#recordSearch(index, request));
    if (found === undefined) return merged;
    const { examined } = merged;
    return {
      ...merged,
      clean: merged.clean && found.remains.length === 0,
      remains: [...merged.remains, ...found.remains],
      examined: {
        ...examined,
        saved_queries: examined.saved_queries + found.saved_queries,
        job_records: examined.job_records + found.job_records,
      },
    };
  }

  async #recordSearch(
    index: string,
    { keys, texts = [] }: ErasureCheckRequest,
  ): Promise<RecordSearch> {
    const aliases = (await this.#options.nodes.aliases()).filter((one) => one.index === index);
    const names = new Set([index, ...aliases.map(({ alias }) => alias)]);
    return { index, names, keys, texts };
  }

  #runAll(
    index: string,
    request: ErasureRunRequest,
    parts: readonly ErasingPart[],
    call: CallContext,
  ): Promise<readonly ErasurePart<ErasureResponse>[]> {
    return this.#ofAll(parts, (service, backups) =>
      service.runErasure({ ...request, index, backups }, call),
    );
  }

  /** What all nodes say, each with the repositories that it examines. */
  #ofAll<T>(
    parts: readonly ErasingPart[],
    run: (service: ServiceApi, backups: readonly string[]) => Promise<T>,
  ): Promise<readonly ErasurePart<T>[]> {
    const { nodes } = this.#options;
    return allOf(parts, async ({ node, address, places }) => {
      return { node, answer: await run(nodes.service(address), places) };
    });
  }

  /** A new backup first, so that the index is never without one. */
  async #replaceBackups(
    index: string,
    others: readonly string[],
    done: readonly ErasurePart<ErasureResponse>[],
    call: CallContext,
  ): Promise<ErasureActions> {
    const held = done.flatMap(({ answer }) =>
      answer.report.remains.flatMap(({ place, where }) => (place === 'backup' ? [where] : [])),
    );
    // the last part of a place is the id of the backup
    const parts = new Set(held.map((where) => basename(where)));
    const { made, removed } = await this.#options.backups.replace(index, { parts, others }, call);
    return { ...NONE, backups_made: made, backups_removed: removed };
  }
}

const holdsBackup = ({ remains }: ErasureReport): boolean =>
  remains.some(({ place }) => place === 'backup');
