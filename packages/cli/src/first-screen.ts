import { readSettings, settingValue } from './config/settings.ts';

/** The output of a bare `lhs`: the most useful commands and the data folder. */
export function firstScreen(): string[] {
  const dataDir = settingValue(readSettings(), 'data_dir');
  return [
    'lhs: a search index for lakehouse tables',
    '',
    '  lhs demo                              watch a table being indexed and searched',
    '  lhs config set warehouse DIR          where your tables are: a folder, s3://…',
    '  lhs import FILE --table NS.TABLE      make a table from files',
    '  lhs index init NS.TABLE > INDEX.yaml  write a definition from a table’s schema',
    '  lhs index apply INDEX.yaml            create and build the index',
    '  lhs search INDEX some words           search it',
    '  lhs tui INDEX                         search while you type',
    '  lhs sync INDEX                        apply new snapshots of the table',
    '  lhs serve all                         REST, gRPC and a web console',
    '',
    `data folder: ${dataDir}`,
    'more: lhs --help, lhs COMMAND --help',
  ];
}
