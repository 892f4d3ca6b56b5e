import type { AlterPlan, Backend, ReindexResponse } from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import {
  type DefinitionFile,
  definitionArg,
  definitionFlag,
  readDefinition,
} from '../../files/definition-file.ts';
import { indexNameOf } from '../../files/definition-name.ts';
import { alterLines } from '../../search/alter-lines.ts';
import { nextSearch } from '../../search/next-search.ts';
import type { JobFlags } from '../../sync/run-job.ts';
import { confirm } from '../../terminal/confirm.ts';
import { count, duration } from '../../terminal/figures.ts';

const NEXT = 'next: lhs index apply FILE --yes';

interface ApplyFlags extends JobFlags {
  readonly yes?: boolean;
}

/** What was done: `created` with its build, or `altered` with its plan. */
type Applied =
  | { readonly action: 'created'; readonly build: ReindexResponse }
  | { readonly action: 'altered' | 'unchanged'; readonly plan: AlterPlan };

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
    const file = await readDefinition(args.file, flags.file);
    const index = await indexNameOf(file);
    const backend = await this.backend(flags);
    const there = await isThere(backend, index);
    const done = there
      ? await this.#alter(backend, index, file, flags)
      : await this.#create(backend, index, file, flags);
    if (done !== null && flags.json) this.printJson({ index, ...done });
  }

  async #create(
    backend: Backend,
    index: string,
    { definition, baseDir }: DefinitionFile,
    flags: ApplyFlags,
  ): Promise<Applied | null> {
    if (!flags.json) this.print([`${index}  is new: create it, then build it from its table`]);
    await backend.createIndex({ definition, base_dir: baseDir });
    const build = await this.jobResult(flags, {
      request: { kind: 'reindex', index },
      stopped: `the index is created but not built: lhs index reindex ${index}`,
      call: (engine, call) => engine.reindex({ index }, call),
    });
    if (build === null) return null;
    const rows = `${count(build.doc_count)} rows in ${duration(build.took_ms)}`;
    if (!flags.json) {
      const next = `next: ${await nextSearch(backend, index)}`;
      this.print([`${index}  created and built: ${rows}`, next]);
    }
    return { action: 'created', build };
  }

  async #alter(
    backend: Backend,
    index: string,
    { definition, baseDir }: DefinitionFile,
    flags: ApplyFlags,
  ): Promise<Applied | null> {
    const request = { index, definition_yaml: definition, base_dir: baseDir };
    const plan = await backend.alterIndex(request);
    const { width } = this.terminal;
    const lines = alterLines(plan, width, NEXT).filter((line) => !flags.yes || line !== NEXT);
    if (!flags.json) this.print(lines);
    if (plan.is_noop) return { action: 'unchanged', plan };
    if (!(await confirm(this.terminal, `Change the index "${index}" so?`, flags.yes === true))) {
      this.print([`${index}  is unchanged`]);
      return null;
    }
    const applied = await this.jobResult(flags, {
      request: { kind: 'alter', ...request, apply: true },
      stopped: 'the definition and the live generation are unchanged',
      call: (engine, call) => engine.alterIndex({ ...request, apply: true }, call),
    });
    if (applied === null) return null;
    if (!flags.json) this.print(alterLines(applied, width).slice(-1));
    return { action: 'altered', plan: applied };
  }
}

async function isThere(backend: Backend, index: string): Promise<boolean> {
  try {
    await backend.describeIndex({ index });
    return true;
  } catch (error) {
    if (error instanceof LhsError && error.code === 'index_not_found') return false;
    throw error;
  }
}
