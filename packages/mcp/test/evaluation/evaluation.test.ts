// @module-tag campaign
/** Questions with known answers, which a planner reaches through the tools. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AgentClient,
  connectAgent,
  type ListedTool,
} from '../../../../test/support/agent-client.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import { startGateway, type TestGateway } from '../../../../test/support/gateway.ts';
import { hasShared } from '../../../../test/support/shared-tables.ts';
import { runDemo } from '../../../cli/src/demo/run-demo.ts';
import { COMMITS_DEFINITION, COMMITS_SNAPSHOT, commitQuestions } from './commit-questions.ts';
import { INCIDENT_QUESTIONS } from './incident-questions.ts';
import { plan, type Question } from './planner.ts';

const MOST_CALLS = 3;
const folder = mkdtempSync(join(tmpdir(), 'lhs-evaluation-'));
let backend: LocalEngine;
let gateway: TestGateway;

beforeAll(async () => {
  backend = await openEngine(folder, { create: true, threads: 0 });
  await runDemo(backend, folder, () => {});
  gateway = await startGateway(backend);
});
afterAll(async () => {
  await gateway?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An agent that has just listed the tools. */
async function connected(): Promise<{ agent: AgentClient; tools: readonly ListedTool[] }> {
  const agent = await connectAgent({ url: gateway.restUrl }, 'auto');
  return { agent, tools: await agent.tools() };
}

const asked = (questions: readonly Question[]) =>
  questions.map((question) => [question.ask, question] as const);

describe('questions about the demo', () => {
  let client: Awaited<ReturnType<typeof connected>>;
  beforeAll(async () => {
    client = await connected();
  });
  afterAll(() => client?.agent.close());

  it.each(asked(INCIDENT_QUESTIONS))('%s', async (_, question) => {
    const { answer, calls } = await plan(client.agent, client.tools, question);
    expect(answer).toEqual(question.answer);
    expect(calls).toBeLessThanOrEqual(MOST_CALLS);
  });
});

/** Building the index of 55,752 commits takes longer than all the questions. */
const withCommits = hasShared && byEffort(false, true);

describe.skipIf(!withCommits)('questions about git.commits, beside the demo', () => {
  it('are all answered, and so is one about the other index', async () => {
    await backend.createIndex({ definition: COMMITS_DEFINITION, base_dir: '/' });
    await backend.reindex({ index: 'commits', as_of: COMMITS_SNAPSHOT() });
    const { agent, tools } = await connected();
    for (const question of [...(await commitQuestions()), INCIDENT_QUESTIONS[1]]) {
      const { answer, calls } = await plan(agent, tools, question);
      expect([question.ask, answer]).toEqual([question.ask, question.answer]);
      expect(calls).toBeLessThanOrEqual(MOST_CALLS);
    }
    await agent.close();
  });
});
