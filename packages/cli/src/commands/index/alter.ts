import type { AlterIndexRequest, CallContext, Rehearsal } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { alterLines } from '../../search/lines/alter-lines.ts';
import { failedGates, readGate, readRehearsed, rehearsalLines } from '../../search/rehearsal.ts';
import type { JobFlags } from '../../sync/run-job.ts';
import { behindLines } from '../../sync/status-lines.ts';
import { progressReport } from '../../terminal/progress.ts';

const GATE_FAILED = 5;
const UNCHANGED = 'the definition and the live generation are unchanged';

interface RehearseFlags extends JobFlags {
  readonly queries?: string | undefined;
  readonly sample?: number | undefined;
  readonly gate?: readonly string[] | undefined;
}

export default class IndexAlter extends LhsCommand {
  static override summary =
    'Show what a new definition changes and what that costs; --apply puts it in force.';
  static override examples = [
    '<%= config.bin %> index alter incidents -f incidents.yaml',
    '<%= config.bin %> index alter incidents -f incidents.yaml --apply',
    '<%= config.bin %> index alter incidents -f incidents.yaml --rehearse --queries queries.txt',
    '<%= config.bin %> index alter incidents -f incidents.yaml --rehearse ' +
      '--gate overlap=0.8 --apply',
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = {
    file: Flags.string({
      char: 'f',
      description: 'new definition (YAML), - for stdin',
      helpValue: 'FILE',
      required: true,
    }),
    apply: Flags.boolean({
      description: 'put it in force, building fields or the index as planned',
    }),
    rehearse: Flags.boolean({
      description: 'build a sample under both definitions and compare the hits of searches',
    }),
    queries: Flags.string({
      description: 'searches to compare, one per line (your saved queries of the index)',
      helpValue: 'FILE',
      dependsOn: ['rehearse'],
    }),
    sample: Flags.integer({
      description: 'rows of the sample (20000)',
      helpValue: 'N',
      min: 1,
      dependsOn: ['rehearse'],
    }),
    gate: Flags.string({
      description: 'fail, and apply nothing, below this figure: overlap=0.8, ndcg=-0.01 (change)',
      helpValue: 'FIGURE=N',
      multiple: true,
      dependsOn: ['rehearse'],
    }),
    detach: Flags.boolean({
      description: 'with --apply: work in a background process that survives the terminal',
      dependsOn: ['apply'],
      exclusive: ['rehearse'],
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexAlter);
    const { definition, baseDir } = await this.definitionOf(undefined, flags.file);
    const { index } = args;
    const request = { index, definition_yaml: definition, base_dir: baseDir };
    const { json = false } = flags;
    const rehearsal = flags.rehearse ? await this.#rehearse(request, flags) : undefined;
    const apply = flags.apply && process.exitCode !== GATE_FAILED;
    const plan = apply
      ? await this.jobResult(flags, {
          request: { kind: 'alter', ...request, apply },
          stopped: UNCHANGED,
          call: (backend, call) => backend.alterIndex({ ...request, apply }, call),
        })
      : await this.#reported(flags, index, (backend, call) => backend.alterIndex(request, call));
    if (plan === null) return;
    if (json) return this.printJson(rehearsal === undefined ? plan : { ...plan, rehearsal });
    this.print(alterLines(plan, this.terminal.width));
    if (!plan.applied) return;
    const backend = await this.backend(flags);
    this.print(behindLines(await backend.status({ index: plan.index })));
  }

  /** Rehearses, and sets the exit code if a gate fails. */
  async #rehearse(request: AlterIndexRequest, flags: RehearseFlags): Promise<Rehearsal> {
    const gates = (flags.gate ?? []).map(readGate);
    const queries = flags.queries === undefined ? undefined : await readRehearsed(flags.queries);
    const { sample } = flags;
    const rehearsal = await this.#reported(flags, request.index ?? '', (backend, call) =>
      backend.rehearseAlter({ ...request, queries, sample }, call),
    );
    if (flags.json !== true) this.print(rehearsalLines(rehearsal, this.terminal.width));
    const failed = failedGates(rehearsal, gates);
    if (failed.length > 0) {
      process.exitCode = GATE_FAILED;
      this.terminal.err(...failed);
    }
    return rehearsal;
  }

  async #reported<T>(
    flags: JobFlags,
    index: string,
    work: (backend: BackendApi, call: CallContext) => Promise<T>,
  ): Promise<T> {
    const backend = await this.backend(flags);
    const report = progressReport(this.terminal, index, flags.json === true);
    return this.stoppable(UNCHANGED, (signal) =>
      work(backend, { progress: report.update, signal }).finally(report.stop),
    );
  }
}
