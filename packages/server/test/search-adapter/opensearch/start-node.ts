import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { unusedPort } from '../../../../../test/support/unused-port.ts';

const JVMS = '/usr/lib/jvm';
/** The first version that runs OpenSearch 3. */
const LEAST_JAVA = 21;

/** The program `java` of version 21 or later; undefined: the machine has none. */
export function findJava(): string | undefined {
  const home = process.env.JAVA_HOME;
  const jvms = existsSync(JVMS) ? readdirSync(JVMS).map((name) => join(JVMS, name)) : [];
  const homes = [...(home === undefined ? [] : [home]), ...jvms];
  return ['java', ...homes.map((one) => join(one, 'bin/java'))].find(isRecent);
}

function isRecent(java: string): boolean {
  try {
    const text = execFileSync(java, ['--version'], { encoding: 'utf8', stdio: 'pipe' });
    return Number(/^\S+ (\d+)/.exec(text)?.[1]) >= LEAST_JAVA;
  } catch {
    return false;
  }
}

/** One OpenSearch node on loopback. */
export interface OpenSearchNode {
  readonly url: string;
  stop(): void;
}

/** Starts a node of the jars in a folder; it ends with this process. */
export async function startOpenSearch(java: string, jars: string): Promise<OpenSearchNode> {
  const home = mkdtempSync(join(tmpdir(), 'lhs-opensearch-'));
  const [http, transport] = [await unusedPort(), await unusedPort()];
  const own = import.meta.dirname;
  const args = [
    ...['-Xmx768m', '-XX:TieredStopAtLevel=1', `-Dopensearch.path.home=${home}`],
    ...['--add-modules=jdk.incubator.vector', '--enable-native-access=ALL-UNNAMED'],
    ...['-Dlog4j2.disable.jmx=true', '-Djna.nosys=true', `-Djava.io.tmpdir=${home}`],
    ...['-cp', `${own}:${join(jars, '*')}`, join(own, 'OneNode.java')],
    ...[home, String(http), String(transport)],
  ];
  const node: ChildProcess = spawn(java, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  const url = `http://127.0.0.1:${http}`;
  const isReady = () =>
    fetch(`${url}/_cluster/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await vi.waitFor(async () => expect(await isReady()).toBe(true), {
    timeout: 240_000,
    interval: 200,
  });
  return {
    url,
    stop() {
      node.kill('SIGKILL');
      rmSync(home, { recursive: true, force: true });
    },
  };
}
