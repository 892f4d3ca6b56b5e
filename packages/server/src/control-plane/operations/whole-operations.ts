import { operationsOf } from '../../config/operations-of.ts';
import { type BackupTrust, ClusterBackupApi } from './cluster-backup-api.ts';
import { ClusterCloneApi } from './cluster-clone-api.ts';
import { ClusterErasureApi } from './cluster-erasure-api.ts';
import type { ErasedRecords } from './erased-records.ts';
import type { IndexNodes } from './index-nodes.ts';

/** What operations over all nodes of an index need besides the nodes. */
export interface WholeOptions {
  /** Where backups are, for all nodes as well. */
  readonly backupTarget?: string | undefined;
  /** Saved queries and logs, as far as erasures search them. */
  readonly records?: ErasedRecords | undefined;
  /** The private key, PEM, of receipts and of the signatures of backups. */
  readonly receiptKey: () => Promise<string>;
  /** Judges definitions of backups that the key has not signed. Default: all are taken. */
  readonly admit?: BackupTrust['admit'] | undefined;
}

/** Operations in which every node of an index takes part, under a control plane or without one. */
export function wholeOperations(nodes: IndexNodes, options: WholeOptions) {
  const { backupTarget, records, receiptKey, admit = () => {} } = options;
  const backups = new ClusterBackupApi(nodes, backupTarget, { key: receiptKey, admit });
  const erasures = new ClusterErasureApi({ nodes, backups, records, receiptKey });
  const clones = new ClusterCloneApi(nodes);
  return { ...operationsOf(backups), ...operationsOf(erasures), ...operationsOf(clones) };
}
