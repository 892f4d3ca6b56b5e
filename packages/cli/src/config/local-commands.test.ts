import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { flagsBehind } from './flags-first.ts';
import { refuseUrl } from './local-commands.ts';

const COMMANDS = new URL('../commands/', import.meta.url);
/** Ids of all commands with their sources. */
const commands = readdirSync(COMMANDS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({
    id: file.slice(0, -'.ts'.length).replaceAll('/', ':'),
    source: readFileSync(new URL(file, COMMANDS), 'utf8'),
  }));

function isRefused(id: string): boolean {
  try {
    refuseUrl(id, ['--url', 'http://x']);
    return false;
  } catch {
    return true;
  }
}

/** Commands that reach a service by other means than `backend`, `source` and `jobResult` of their base. */
const OTHERS = ['index:search', 'login', 'mcp:config'];

/** Local commands that name the indexes of the local data folder. */
const OF_LOCAL_INDEXES = ['source:import'];

describe('a command with --url', () => {
  it.each(commands)('uses the service or says that it is local: $id', ({ id, source }) => {
    const isRemote = /this\.(backend|source|search|jobResult)\(/.test(source);
    if (isRefused(id)) expect(isRemote).toBe(OF_LOCAL_INDEXES.includes(id));
    else expect(isRemote || OTHERS.includes(id)).toBe(true);
  });

  it('names itself if it is local', () => {
    expect(() => refuseUrl('source:tag', ['--url=http://x'])).toThrow('"lhs source tag" works on');
    expect(() => refuseUrl('source:tag', ['x'])).not.toThrow();
  });
});

describe('global flags before a command', () => {
  it.each([
    ['--url u search a', 'search a --url u'],
    ['--json --profile=p search a -- -b', 'search a --json --profile=p -- -b'],
    ['search --url u', 'search --url u'],
    ['--url u', '--url u'],
    ['--limit 3 search', '--limit 3 search'],
  ])('%s', (typed, meant) => {
    expect(flagsBehind(typed.split(' ')).join(' ')).toBe(meant);
  });
});
