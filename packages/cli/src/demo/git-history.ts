import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { LhsError } from '@lakehouse-search/contract';

const run = promisify(execFile);
const LIMIT_BYTES = 1 << 30;
const FIELD = '\u001f';
const RECORD = '\u001e';

/** One commit of a repository, as a row. */
export interface CommitRow extends Readonly<Record<string, unknown>> {
  readonly sha: string;
  readonly author: string;
  readonly authored_at: string;
  readonly subject: string;
  readonly body: string;
  readonly merge: boolean;
}

/**
 * The history of a git repository on this machine, newest first. Throws not_found where there is
 * none.
 */
export async function gitHistory(folder: string): Promise<readonly CommitRow[]> {
  const format = ['%H', '%an', '%at', '%s', '%b', '%P'].join(FIELD) + RECORD;
  try {
    const { stdout } = await run('git', ['-C', resolve(folder), 'log', `--format=${format}`], {
      maxBuffer: LIMIT_BYTES,
    });
    return stdout
      .split(RECORD)
      .map((r) => r.replace(/^\n/, ''))
      .filter((r) => r !== '')
      .map(commitRow);
  } catch (cause) {
    const { stderr, message } = cause as { stderr?: string; message: string };
    const why = (stderr || message).trim().split('\n')[0];
    throw new LhsError('not_found', `no git history in "${folder}": ${why}`, { cause });
  }
}

function commitRow(record: string): CommitRow {
  const [sha, author, at, subject, body, parents] = record.split(FIELD);
  return {
    sha,
    author,
    authored_at: new Date(Number(at) * 1000).toISOString().replace('Z', '000'),
    subject,
    body: body.trim(),
    merge: parents.includes(' '),
  };
}
