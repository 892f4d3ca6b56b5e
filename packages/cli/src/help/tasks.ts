/** All commands by what they are for, in the order in which a new user needs them. */
export const TASKS: readonly (readonly [task: string, commands: readonly string[]])[] = [
  ['Try it', ['demo']],
  ['Get a table', ['source import', 'source tables', 'source describe', 'source rows']],
  [
    'Define and build an index',
    ['index init', 'index validate', 'index create', 'index apply', 'index reindex', 'index list'],
  ],
  ['Build it by tasks', ['build plan', 'build task', 'build merge', 'build commit']],
  [
    'Search',
    [
      ...['search', 'tui', 'index search', 'index semantic', 'index hybrid', 'index tune'],
      ...['index facets', 'index aggregate', 'index suggest', 'keys get'],
      ...['index pit open', 'index pit close', 'index export'],
    ],
  ],
  [
    'Keep it in sync',
    ['index sync', 'index status', 'index verify', 'index compact', 'index upgrade', 'doctor'],
  ],
  ['Understand a result', ['index explain', 'index diff', 'index describe', 'index bench']],
  ['Examine queries and text', ['index analyze', 'index parse', 'index print', 'index types']],
  [
    'Change an index',
    [
      ...['index alter', 'index rename', 'index clone', 'index rollback', 'index windows'],
      ...['index move', 'index reshard', 'index move-bucket', 'index drop'],
    ],
  ],
  [
    'Back it up, erase rows',
    [
      ...['index backup', 'index restore', 'index backups list', 'index backups status'],
      ...['index backups prune', 'erase check', 'erase run', 'erase key', 'erase verify'],
    ],
  ],
  ['Follow long work', ['jobs list', 'jobs show', 'jobs watch', 'jobs cancel']],
  [
    'Name things',
    [
      ...['alias set', 'alias list', 'alias drop', 'query save', 'query list', 'query show'],
      ...['query run', 'query drop'],
    ],
  ],
  [
    'Change a table',
    [
      ...['source delete', 'source upsert', 'source snapshots', 'source changes', 'source tag'],
      ...['source compact', 'source expire', 'source drop'],
    ],
  ],
  ['Models', ['model list', 'model describe', 'model check']],
  [
    'Serve, connect agents',
    [
      ...['serve all', 'serve gateway', 'serve node', 'serve control-plane', 'serve check'],
      ...['serve password', 'mcp', 'mcp config', 'cite check'],
    ],
  ],
  [
    'Settings',
    [
      ...['config view', 'config set', 'config profile list', 'config profile set'],
      ...[
        'config profile use',
        'config profile remove',
        'login',
        'logout',
        'completion',
        'completion install',
      ],
      ...['version', 'help'],
    ],
  ],
];

/** A command with its summary, and the short name if it has one. */
interface Listed {
  readonly id: string;
  readonly short?: string | undefined;
  readonly summary: string;
}

/**
 * Lines of at most `columns`; those after the first begin with `indent`. The text has one column
 * per character, so help needs none of the modules that measure text.
 */
export function wrapWords(text: string, columns: number, indent = ''): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines[lines.length - 1];
    if (line !== '' && line.length + 1 + word.length > columns) lines.push(indent + word);
    else
      lines[lines.length - 1] = line === '' && lines.length === 1 ? word || ' ' : `${line} ${word}`;
  }
  return lines;
}

/** All tasks with the names of their commands; a command with a short name has that one. */
export function shortLines(commands: readonly Listed[], columns: number): string[] {
  const shortNames = new Map(commands.map(({ id, short = id }) => [id, short]));
  const width = Math.max(...TASKS.map(([task]) => task.length)) + 2;
  const indent = ' '.repeat(width);
  return TASKS.flatMap(([task, ids]) => {
    const names = ids.map((id) => shortNames.get(id) ?? id);
    return wrapWords(task.padEnd(width) + names.join(', '), columns, indent);
  });
}

/**
 * The commands below a topic (all for '') by task, a line each, summaries wrapped to `columns`.
 * Commands without a task come last.
 */
export function taskLines(commands: readonly Listed[], topic: string, columns: number): string[] {
  const below = commands.filter(({ id }) => topic === '' || id.startsWith(`${topic} `));
  const known = new Set(TASKS.flatMap(([, ids]) => ids));
  const others = below.filter(({ id }) => !known.has(id)).map(({ id }) => id);
  const name = ({ id, short = id }: Listed) => (topic === '' ? short : id);
  const width = Math.max(...below.map((command) => name(command).length)) + 2;
  return [...TASKS, ['Other', others] as const].flatMap(([task, ids]) => {
    const found = ids.flatMap((id) => below.find((command) => command.id === id) ?? []);
    const lines = found.flatMap((command) =>
      wrapWords(command.summary, columns - width - 2).map(
        (line, i) => `  ${(i === 0 ? name(command) : '').padEnd(width)}${line.trimStart()}`,
      ),
    );
    return lines.length === 0 ? [] : [task, ...lines, ''];
  });
}
