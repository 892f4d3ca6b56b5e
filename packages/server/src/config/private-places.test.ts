import { afterEach, describe, expect, it } from 'vitest';
import { hidePlace, withoutPlaces } from './private-places.ts';

const hidden: (() => void)[] = [];
const hide = (text: string, name: string) => hidden.push(hidePlace(text, name));
afterEach(() => {
  for (const end of hidden.splice(0)) end();
});

describe('places of a service in texts', () => {
  it.each([
    ['"/srv/backups/x" holds no backups', '"<backup target>/x" holds no backups'],
    ['"/srv/backups" holds none', '"<backup target>" holds none'],
    ['/srv/backups-2 and /old/srv/backups', '/srv/backups-2 and /old/srv/backups'],
    ['s3://bucket/lhs/lhs.json is damaged', '<bucket>/lhs.json is damaged'],
    ['connect ECONNREFUSED 10.0.0.5:5432', 'connect ECONNREFUSED <database>'],
    ['cannot reach PostgreSQL at 10.0.0.5:5432/lhs', 'cannot reach PostgreSQL at <database>/lhs'],
    ['cannot use "small/data/server.db"', 'cannot use "<data folder>/server.db"'],
    [`cannot use "${process.cwd()}/small/data/a"`, 'cannot use "<data folder>/a"'],
    ['row 3 of file:///srv/backups/a.parquet', 'row 3 of <backup target>/a.parquet'],
    ['row 3 of file:/srv/backups/a.parquet', 'row 3 of <backup target>/a.parquet'],
    ['the word db in a sentence', 'the word db in a sentence'],
  ])('%s', (text, shown) => {
    hide('/srv/backups/', 'backup target');
    hide('s3://bucket/lhs', 'bucket');
    hide('10.0.0.5:5432', 'database');
    hide('small/data', 'data folder');
    hide('db', 'root');
    hide('/', 'root');
    expect(withoutPlaces(text)).toBe(shown);
  });

  it('are shown again when their service has ended', () => {
    const end = hidePlace('/srv/backups', 'backup target');
    end();
    expect(withoutPlaces('/srv/backups')).toBe('/srv/backups');
  });
});
