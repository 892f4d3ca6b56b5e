/**
 * A process that does one thing to a data folder and kills itself at a given call:
 *
 *   node --import ./from-source.ts kill-child.ts DATA WORK AT WHOLE|HALF|FREE
 *
 * WORK: an operation (operations.ts) or `{"kind":"open"}` as JSON. AT: which of the calls that
 * change something; 0: none. HALF: if it is a write, half of it is done first. FREE: merges run in
 * a worker thread, whose calls are not counted. It says `begin`, `.` for each acknowledged commit,
 * `end`, and the kinds of all calls that changed something.
 */
import { writeSync } from 'node:fs';
import { changes, interceptFiles } from '../../../../test/support/file-calls.ts';
import type { ChildWork } from './work.ts';

const [data, work, at, how] = process.argv.slice(2);
const say = (text: string) => writeSync(1, text);
const kinds: string[] = [];
interceptFiles(data, (call) => {
  if (!changes(call)) return undefined;
  kinds.push(call.kind);
  if (kinds.length !== Number(at)) return undefined;
  if (how === 'HALF') call.part?.((call.bytes?.length ?? 0) >> 1);
  process.kill(process.pid, 'SIGKILL');
  // The signal arrives when it arrives: nothing more is done until then.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
});

const { openData, openInline, runWork } = await import('./work.ts');
say('begin ');
const backend = await (how === 'FREE' ? openData(data) : openInline(data));
await runWork(backend, JSON.parse(work) as ChildWork, () => say('.'));
say(' end ');
await backend.close();
say(kinds.join(' '));
