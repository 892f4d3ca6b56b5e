/** The words of the command line for what to do next: a command that can be copied. */
import type { IndexDescription, NextStep } from '@lakehouse-search/contract';
import { syncStep } from '@lakehouse-search/contract/internal';
import { plural } from '../figures.ts';
import { requestWords } from './request-words.ts';
import { shellWord } from './shell-word.ts';

type Words = { [S in NextStep['step']]: (step: Extract<NextStep, { readonly step: S }>) => string };

const COMMANDS: Words = {
  create_index: () => 'lhs index create FILE',
  list_indexes: () => 'lhs index list',
  describe_index: ({ index }) => `lhs index describe ${index}`,
  alter_index: () => 'lhs index apply FILE',
  drop_index: ({ index }) => `lhs index drop ${index}`,
  leave_store: ({ index }) => `lhs index move ${index} --local`,
  reindex: ({ index = 'INDEX', resume }) =>
    `lhs index reindex ${index}${resume === true ? ' --resume' : ''}`,
  plan_build: ({ index }) => `lhs build plan ${index}`,
  sync: ({ index }) => `lhs index sync ${index}`,
  show_status: ({ index }) => `lhs index status ${index}`,
  repair: ({ index = 'INDEX' }) => `lhs index verify ${index} --repair`,
  compact: ({ index }) => `lhs index compact ${index}`,
  backup: ({ index }) => `lhs index backup ${index} PLACE`,
  validate_definition: () => 'lhs index validate FILE',
  list_snapshots: () => 'lhs source snapshots TABLE',
  list_aliases: () => 'lhs alias list',
  drop_alias: ({ alias = 'ALIAS' }) => `lhs alias drop ${alias}`,
  list_saved_queries: () => 'lhs query list',
  drop_saved_query: () => 'lhs query drop NAME',
  replace_saved_query: () => 'lhs query save NAME INDEX QUERY --replace',
  list_jobs: () => 'lhs jobs list',
  show_job: ({ job }) => `lhs jobs show ${job}`,
  watch_job: ({ job }) => `lhs jobs watch ${job}`,
  cancel_job: ({ job }) => `lhs jobs cancel ${job}`,
  check_model: ({ model }) => `lhs model check ${shellWord(model)}`,
  choose_data_folder: () => 'lhs config set data_dir DIR (or --data-dir DIR, or LHS_DATA_DIR)',
};

/** The command of a step. */
export function nextCommand<S extends NextStep['step']>(
  step: Extract<NextStep, { readonly step: S }>,
): string {
  const words = COMMANDS[step.step as S] as (step: NextStep) => string;
  return words(step);
}

/** The command for an index that is to be at the head of its table. */
export const nextSync = ({
  index,
  synced_by,
}: Pick<IndexDescription, 'index' | 'synced_by'>): string =>
  nextCommand(syncStep(index, synced_by));

/** `1 snapshot behind (lhs index sync incidents)`; for a published index, who syncs it. */
export const behindText = (
  lag: number,
  index: Pick<IndexDescription, 'index' | 'synced_by'>,
): string => {
  const way = index.synced_by === 'publisher' ? 'synced where it is published' : nextSync(index);
  return `${plural(lag, 'snapshot')} behind (${way})`;
};

/** Replaces the advice to alter, import or send a request, which all callers share, by its command. */
export const commandWords = (text: string): string =>
  requestWords(text)
    .replace(
      /then alter index "[^"]*" with it/g,
      `then ${nextCommand({ step: 'alter_index', index: '' })}`,
    )
    .replace(
      /import column "(.*)" of table "(.*)" as (\w+)/g,
      (_, column: string, table: string, type: string) => importAs(table, `${column}=${type}`),
    );

/** The command that reads a column of a table again as another type, without empty texts. */
const importAs = (table: string, type: string): string =>
  `lhs import FILE --table ${table} --replace --type ${shellWord(type)} --null ''`;

/** Lines of advice: the hint, then a command for each step. */
export function adviceLines(
  hint: string | undefined,
  next: readonly NextStep[] = [],
): readonly string[] {
  const words = hint === undefined ? [] : commandWords(hint).split('\n');
  return [...words, ...next.map((step) => nextCommand(step))];
}
