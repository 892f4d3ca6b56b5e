import { LhsCommand } from '../base-command.ts';
import { runChecks } from '../doctor/checks.ts';
import { pad } from '../terminal/text.ts';

export default class Doctor extends LhsCommand {
  static override summary =
    'Look at this machine: what lhs needs and whether it is there (exit 1 if not).';
  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --json'];

  override async run(): Promise<void> {
    const { flags } = await this.parse(Doctor);
    const checks = await runChecks(this.dataDir(flags));
    const well = checks.every((c) => c.ok);
    if (!well) process.exitCode = 1;
    if (flags.json) return this.printJson({ ok: well, version: this.config.version, checks });
    const { style } = this;
    this.print(
      checks.flatMap((c) => {
        const state = c.ok ? style.green('ok ') : style.red('bad');
        const line = `${pad(c.name, 8)}  ${state}  ${c.detail}`;
        return c.advice === undefined ? [line] : [line, `${' '.repeat(15)}${c.advice}`];
      }),
    );
  }
}
