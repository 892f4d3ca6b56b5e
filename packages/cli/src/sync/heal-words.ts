import type { HealReason } from '@lakehouse-search/contract';

const WORDS: Readonly<Record<HealReason, string>> = {
  snapshot_expired: 'the table has forgotten the index’s snapshot',
  rolled_back: 'the table was rolled back',
  ref_changed: 'the definition follows another branch or tag',
  diverged: 'the table went another way',
  files_missing: 'files of a snapshot on the way are gone',
};

/** Why an index goes to its table's state in one step, in words. */
export const healWords = (reason: HealReason): string => WORDS[reason];
