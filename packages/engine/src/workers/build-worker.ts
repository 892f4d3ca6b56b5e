/**
 * The thread that builds a share of the segments of a build: its data are `BuildSettings`, its
 * messages are `ToBuildThread` and `FromBuildThread`. After an error it does nothing more.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { releaseArrays } from '../base/arrays/release-arrays.ts';
import { arraysOfBlock } from '../documents/block-memory.ts';
import { analyzersOf } from '../open/definition-analyzers.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { SegmentWriter } from '../segment/segment-writer.ts';
import { errorToPlain } from '../shard/bytes.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import type { BuildSettings, FromBuildThread, PlainPlan, ToBuildThread } from './build-messages.ts';

const { path, plans: plainPlans, analyzers, share } = workerData as BuildSettings;
const analyzerOf = analyzersOf(analyzers);
const plans = plainPlans.map(withAnalyzer);
const directory = openLocalDirectory(path);
const writers = new Map<string, SegmentWriter>();
let broken = false;

function withAnalyzer(plan: PlainPlan): FieldPlan {
  const { inverted } = plan;
  if (inverted?.kind !== 'text') return { ...plan, inverted };
  const { name, ...text } = inverted;
  return { ...plan, inverted: { ...text, analyzer: analyzerOf(name) } };
}

function handle(message: ToBuildThread): FromBuildThread | null {
  if (message.kind === 'clear') {
    writers.clear();
    return null;
  }
  const { buffer } = message;
  const writer = writers.get(buffer) ?? new SegmentWriter(plans, share);
  if (message.kind === 'add') {
    writers.set(buffer, writer);
    writer.add(message.block);
    releaseArrays(arraysOfBlock(message.block));
    const held = writers.values().reduce((sum, { bytes }) => sum + bytes, 0);
    return { kind: 'added', bytes: message.bytes, held };
  }
  writers.delete(buffer);
  const { components } = writer.finish(directory, message.id);
  return { kind: 'finished', id: message.id, components };
}

function answer(message: ToBuildThread): FromBuildThread | null {
  try {
    return handle(message);
  } catch (error) {
    broken = true;
    writers.clear();
    return { kind: 'failed', error: errorToPlain(error) };
  }
}

parentPort?.on('message', (message: ToBuildThread) => {
  const reply = broken ? null : answer(message);
  if (reply !== null) parentPort?.postMessage(reply);
});
