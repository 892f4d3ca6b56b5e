import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isatty } from 'node:tty';

/** The Node of the npm package `node` beside this command, as in a clone; undefined: none. */
export function nodeBeside() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json');
    const node = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    const isOther = existsSync(node) && realpathSync(node) !== realpathSync(process.execPath);
    return isOther ? node : undefined;
  } catch {
    return undefined;
  }
}

/** Holds the process id of a launcher for the process that it starts. */
const LAUNCHER = 'LHS_LAUNCHER';

/** Ends this process with the one that started it by `runWith`, also if that one is killed. */
export function endWithLauncher() {
  const isLaunched = process.env[LAUNCHER] === String(process.ppid);
  delete process.env[LAUNCHER];
  if (!isLaunched) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

/** Runs the command line of this process with another Node, and ends as that one does. */
export function runWith(node) {
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const env = { ...process.env, [LAUNCHER]: String(process.pid) };
  const child = spawn(node, process.argv.slice(1), { stdio, env });
  // a terminal sends Ctrl-C to both
  const hasTerminal = [0, 1, 2].some((stream) => isatty(stream));
  process.on('SIGINT', () => hasTerminal || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`error: cannot start ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 1;
    if (signal === null) return;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
