import { readSettings, settingValue } from './config/settings.ts';

/** The output of a bare `lhs`: the most useful commands and the data folder. */
export function firstScreen(): string[] {
  const dataDir = settingValue(readSettings(), 'data_dir');
  return [
    'lhs: a search index over lakehouse tables, in step with the table',
    '',
    '  lhs demo                         watch a table indexed and searched',
    '  lhs index init ns.table          write a definition from a table’s schema',
    '  lhs index create FILE            register the index',
    '  lhs index reindex INDEX          build the index from the table',
    '  lhs search INDEX "some words"    ranked answers',
    '  lhs tui INDEX                    search as you type',
    '  lhs index sync INDEX             bring the index up to the table',
    '',
    `data folder: ${dataDir}`,
    'more: lhs --help, lhs COMMAND --help',
  ];
}
