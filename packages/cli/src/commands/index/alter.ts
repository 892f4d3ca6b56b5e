import type { AlterPlan, CallContext } from '@lakehouse-search/contract';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { readDefinition } from '../../files/definition-file.ts';
import { alterLines } from '../../search/alter-lines.ts';
import { failedGates, readGate, readRehearsed, rehearsalLines } from '../../search/rehearsal.ts';
import { startDetached } from '../../sync/start-detached.ts';
import { progressReport } from '../../terminal/progress.ts';

const GATE_FAILED = 5;
const UNCHANGED = 'the definition and the live generation are unchanged';

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
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
  };
  static override flags = {
    detach: Flags.boolean({
      description: 'with --apply: work in a background process that survives the terminal',
      dependsOn: ['apply'],
      exclusive: ['rehearse'],
    }),
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
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexAlter);
    const { definition, baseDir } = await readDefinition(undefined, flags.file);
    const { index } = args;
    const request = { index, definition_yaml: definition, base_dir: baseDir };
    if (flags.detach) {
      return startDetached(this.terminal, { kind: 'alter', ...request, apply: true }, flags);
    }
    const backend = await this.backend(flags);
    const { apply, json = false } = flags;
    const alter = (call: CallContext) => backend.alterIndex({ ...request, apply }, call);
    if (flags.rehearse !== true) return this.#show(await this.#reported(index, json, alter), json);
    const gates = (flags.gate ?? []).map(readGate);
    const queries = flags.queries === undefined ? undefined : await readRehearsed(flags.queries);
    const { sample } = flags;
    const rehearsal = await this.#reported(index, json, (call) =>
      backend.rehearseAlter({ ...request, queries, sample }, call),
    );
    if (!json) this.print(rehearsalLines(rehearsal, this.terminal.width));
    const failed = failedGates(rehearsal, gates);
    if (failed.length > 0) {
      process.exitCode = GATE_FAILED;
      this.terminal.err(...failed);
    }
    const plan =
      failed.length > 0
        ? await backend.alterIndex(request)
        : await this.#reported(index, json, alter);
    if (json) return this.printJson({ ...plan, rehearsal });
    this.#show(plan, json);
  }

  async #reported<T>(index: string, json: boolean, work: (call: CallContext) => Promise<T>) {
    const report = progressReport(this.terminal, index, json);
    return this.stoppable(UNCHANGED, (signal) =>
      work({ progress: report.update, signal }).finally(report.stop),
    );
  }

  #show(plan: AlterPlan, json: boolean): void {
    if (json) this.printJson(plan);
    else this.print(alterLines(plan, this.terminal.width));
  }
}
