/**
 * The screen of `lhs tui` from a key to the drawn answer of the line as it then stands (target: p50
 * <= 30 ms on git.commits): queries are typed letter by letter, each letter after the answer to the
 * one before, through Ink into a stream that acts as a 120 x 40 terminal. Preview and facets
 * run beside as they do for a person. The index of `bench/commits.ts`.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openEngine } from '../packages/engine/dist/local-backend.js';
import { machine, need, percentile, WORK } from './shared.ts';

process.env.NODE_ENV ??= 'production';
const DIST = fileURLToPath(new URL('../packages/cli/dist/tui/', import.meta.url));
const load = (file: string) => import(pathToFileURL(file).href);
const { App } = await load(`${DIST}app.js`);
const { Session } = await load(`${DIST}session.js`);
const { initialState, isSettled } = await load(`${DIST}state.js`);
const { screenIndex } = await load(`${DIST}lists.js`);
const { Painter } = await load(`${DIST}painter.js`);
const find = createRequire(`${DIST}app.js`);
const { render } = await load(find.resolve('ink'));
const { createElement } = await load(find.resolve('react'));

const data = need(join(WORK, 'lhs-data'), 'node bench/commits.ts makes it');
const QUERIES = [
  'git send email',
  'memory leak',
  'rebase AND interactive',
  '"merge conflict"',
  'fix segfault in diff',
  'author:junio commit graph',
];

let bytes = 0;

class Screen extends Writable {
  readonly isTTY = true;
  readonly columns = 120;
  readonly rows = 40;
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    bytes += chunk.length;
    done();
  }
}

const keys = Object.assign(new PassThrough(), {
  isTTY: true,
  setRawMode: () => undefined,
  ref: () => undefined,
  unref: () => undefined,
});
const screen = new Screen();
const backend = await openEngine(data, { create: true, threads: 0 });
const state = initialState(await screenIndex(backend, 'commits'), screen);
const history = { read: async () => [], add: async () => undefined };
const session = new Session(backend, history, state);
const stop = async () => undefined;
const painter = new Painter((text: string) => screen.write(text), true);
const app = render(createElement(App, { session, painter, stop }), {
  stdin: keys,
  stdout: screen,
  interactive: true,
  alternateScreen: true,
  exitOnCtrlC: false,
});
session.start();

/**
 * Ends when the answer to the line, or its refusal, has been drawn: right after it has changed the
 * state.
 */
function drawn(text: string): Promise<void> {
  return new Promise((done) => {
    const stopListening = session.subscribe(() => {
      if (session.state.line.text !== text || !isSettled(session.state)) return;
      stopListening();
      // behind the drawing, which the screen has planned before
      queueMicrotask(done);
    });
  });
}

const before = process.cpuUsage();
const bytesBefore = bytes;
const times: number[] = [];
const inEngine: number[] = [];
for (const query of ['warm up', ...QUERIES]) {
  for (let i = 1; i <= query.length; i++) {
    const answered = drawn(query.slice(0, i));
    const pressed = performance.now();
    keys.write(query[i - 1]);
    await answered;
    if (query === 'warm up') continue;
    times.push(performance.now() - pressed);
    inEngine.push(session.state.answer?.tookMs ?? 0);
  }
  const emptied = drawn('');
  keys.write('\u0015');
  await emptied;
}
const { user, system } = process.cpuUsage(before);
const cpu = (user + system) / 1000;
app.unmount();
await backend.close();
const at = (part: number) => percentile(times, part).toFixed(1);
const sent = Math.round((bytes - bytesBefore) / times.length);
console.log(`lhs tui, ${times.length} keys on git.commits (${machine()})`);
console.log(
  `  key to drawn answer  p50 ${at(0.5)} ms (target 30), p90 ${at(0.9)} ms, p99 ${at(0.99)} ms`,
);
const engine = percentile(inEngine, 0.5).toFixed(1);
console.log(
  `  of which engine p50 ${engine} ms; processor time ${(cpu / times.length).toFixed(1)} ` +
    `ms, ${sent} bytes drawn a key`,
);
