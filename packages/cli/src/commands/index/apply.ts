import { type AlterPlan, LhsError, type ReindexResponse } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { type DefinitionFile, definitionArg, definitionFlag } from '../../files/definition-file.ts';
import { indexNameOf } from '../../files/definition-name.ts';
import { alterLines } from '../../search/lines/alter-lines.ts';
import { nextSearch } from '../../search/next-search.ts';
import type { JobFlags } from '../../sync/run-job.ts';
import { behindLines } from '../../sync/status-lines.ts';
import { confirm } from '../../terminal/ask/confirm.ts';
import { shellWord } from '../../terminal/errors/shell-word.ts';
import { count, duration } from '../../terminal/figures.ts';

interface ApplyFlags extends JobFlags {
  readonly yes?: boolean;
}

/** What was done: `created` with its build, or `altered` with its plan. */
type Applied =
  | { readonly action: 'created'; readonly build: ReindexResponse }
  | {
      readonly action: 'altered' | 'unchanged';
      readonly plan: AlterPlan;
      /** Present if nothing was built before. */
      readonly build?: ReindexResponse;
    };

export default class IndexApply extends LhsCommand {
  static override summary =
    'Create and build the index of a definition, or change it after showing the plan.';
  static override examples = [
    '<%= config.bin %> index apply incidents.yaml',
    '<%= config.bin %> index apply -f incidents.yaml --yes',
  ];
  static override args = { file: definitionArg };
  static override flags = {
    file: definitionFlag,
    yes: Flags.boolean({ char: 'y', description: 'change an index without a question' }),
    detach: Flags.boolean({
      description: 'build in a background process that survives the terminal',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexApply);
    const file = await this.definitionOf(args.file, flags.file);
    const index = await indexNameOf(file);
    const backend = await this.backend(flags);
    const status = await statusOf(backend, index);
    const done =
      status === null
        ? await this.#create(backend, index, file, flags)
        : await this.#alter(backend, index, file, flags, status === 'created');
    if (done !== null && flags.json) this.printJson({ index, ...done });
  }

  async #create(
    backend: BackendApi,
    index: string,
    { definition, baseDir }: DefinitionFile,
    flags: ApplyFlags,
  ): Promise<Applied | null> {
    await backend.createIndex({ definition, base_dir: baseDir });
    if (!flags.json) this.print([`${index}  is new`]);
    const build = await this.#build(backend, index, flags, 'created and built');
    return build && { action: 'created', build };
  }

  /** Builds an index that has no generation. Returns null if a detached process continues it. */
  async #build(
    backend: BackendApi,
    index: string,
    flags: ApplyFlags,
    done: string,
  ): Promise<ReindexResponse | null> {
    const build = await this.jobResult(flags, {
      request: { kind: 'reindex', index },
      stopped: `the index is created but not built: lhs index reindex ${index}`,
      call: (engine, call) => engine.reindex({ index }, call),
    });
    if (build === null || flags.json) return build;
    const rows = `${count(build.doc_count)} rows in ${duration(build.took_ms)}`;
    this.print([`${index}  ${done}: ${rows}`, `next: ${await nextSearch(backend, index)}`]);
    return build;
  }

  async #alter(
    backend: BackendApi,
    index: string,
    file: DefinitionFile,
    flags: ApplyFlags,
    isUnbuilt: boolean,
  ): Promise<Applied | null> {
    const plan = await this.#change(backend, index, file, flags, isUnbuilt);
    if (plan === null) return null;
    const applied = { action: plan.is_noop ? 'unchanged' : 'altered', plan } as const;
    if (!isUnbuilt) return applied;
    const build = await this.#build(backend, index, flags, 'built');
    return build && { ...applied, build };
  }

  /** Puts a definition in force. Returns null if it was refused, or if a detached process does it. */
  async #change(
    backend: BackendApi,
    index: string,
    { file, definition, baseDir }: DefinitionFile,
    flags: ApplyFlags,
    isUnbuilt: boolean,
  ): Promise<AlterPlan | null> {
    const request = { index, definition_yaml: definition, base_dir: baseDir };
    const plan = await backend.alterIndex(request);
    const { width } = this.terminal;
    const next = `next: lhs index apply ${shellWord(file)} --yes`;
    const lines = alterLines(plan, width, next).filter((line) => !flags.yes || line !== next);
    if (!flags.json && !(plan.is_noop && isUnbuilt)) this.print(lines);
    if (plan.is_noop) return plan;
    const question = `Change the index "${index}" in this way?`;
    if (!(await confirm(this.terminal, question, flags.yes === true))) {
      this.print([`${index}  is unchanged`]);
      return null;
    }
    const job = isUnbuilt ? { ...flags, detach: false } : flags;
    const applied = await this.jobResult(job, {
      request: { kind: 'alter', ...request, apply: true },
      stopped: 'the definition and the live generation are unchanged',
      call: (engine, call) => engine.alterIndex({ ...request, apply: true }, call),
    });
    if (applied === null || flags.json) return applied;
    this.print(alterLines(applied, width).slice(-1));
    if (!isUnbuilt) this.print(behindLines(await backend.status({ index: applied.index })));
    return applied;
  }
}

/** The status of an index; null: there is none of that name. */
async function statusOf(backend: BackendApi, index: string): Promise<string | null> {
  try {
    return (await backend.describeIndex({ index })).status;
  } catch (error) {
    if (error instanceof LhsError && error.code === 'index_not_found') return null;
    throw error;
  }
}
