/**
 * What a caller can do about an error, as data: a command line words it as a command, a console as
 * a link. Closed: a new step is added here and to the words of the command line.
 */
export type NextStep =
  | { readonly step: 'create_index' }
  | { readonly step: 'list_indexes' }
  | { readonly step: 'describe_index'; readonly index: string }
  | { readonly step: 'alter_index'; readonly index: string }
  | { readonly step: 'drop_index'; readonly index: string }
  | { readonly step: 'leave_store'; readonly index: string }
  | { readonly step: 'reindex'; readonly index?: string; readonly resume?: true }
  | { readonly step: 'plan_build'; readonly index: string }
  | { readonly step: 'sync'; readonly index: string }
  | { readonly step: 'show_status'; readonly index: string }
  | { readonly step: 'validate_definition' }
  | { readonly step: 'repair'; readonly index?: string }
  | { readonly step: 'compact'; readonly index: string }
  | { readonly step: 'backup'; readonly index: string }
  | { readonly step: 'list_snapshots' }
  | { readonly step: 'list_aliases' }
  | { readonly step: 'drop_alias'; readonly alias?: string }
  | { readonly step: 'list_saved_queries' }
  | { readonly step: 'drop_saved_query' }
  | { readonly step: 'replace_saved_query' }
  | { readonly step: 'list_jobs' }
  | { readonly step: 'show_job'; readonly job: string }
  | { readonly step: 'watch_job'; readonly job: string }
  | { readonly step: 'cancel_job'; readonly job: string }
  | { readonly step: 'check_model'; readonly model: string }
  | { readonly step: 'choose_data_folder' };

/**
 * Who alone keeps an index equal to its table: a control plane refuses the operation `sync`, and so
 * does a program that reads what another one publishes.
 */
export type SyncedBy = 'control_plane' | 'publisher';

/** The step after which an index is at the head of its table; of one that is synced, its status. */
export function syncStep(index: string, synced_by: SyncedBy | undefined): NextStep {
  return { step: synced_by === undefined ? 'sync' : 'show_status', index };
}
