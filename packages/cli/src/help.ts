import { LhsError } from '@lakehouse-search/contract';
import { CommandHelp, Help, type Interfaces } from '@oclif/core';
import { notFound } from './help/not-found.ts';
import { pageLines, pageNames } from './help/pages.ts';
import { shortLines, taskLines, wrapWords } from './help/tasks.ts';

/** Help of a command: examples first, then how it is used. */
class ExamplesFirst extends CommandHelp {
  protected override sections() {
    const sections = super.sections();
    const first = sections.filter((s) => s.header.startsWith('EXAMPLE'));
    return [...first, ...sections.filter((s) => !s.header.startsWith('EXAMPLE'))];
  }
}

/** The help class that package.json names. */
// biome-ignore lint/style/noDefaultExport: oclif loads the default export
export default class LhsHelp extends Help {
  protected override CommandHelpClass = ExamplesFirst;

  /** `lhs help query` prints a page, `lhs query --help` the commands. */
  override async showHelp(argv: string[]): Promise<void> {
    const words = argv.filter((word) => !word.startsWith('-'));
    const isAsked = words.length === argv.length;
    const name = words[0] === 'page' ? (words[1] ?? '') : words[0];
    const isCommand = words[0] !== 'page' && this.config.findCommand(words.join(':')) !== undefined;
    const page = isAsked && !isCommand && name !== undefined ? pageLines(name) : undefined;
    if (page !== undefined) return this.#showPage(name as string, page);
    const known = this.config.commandIDs.map((id) => id.split(':'));
    const isThere = known.some((id) => words.every((word, i) => word === id[i]));
    const flags = words.length > 0 && !isThere && isAsked;
    if (flags) {
      const { message, hint } = notFound(words, known);
      throw new LhsError('invalid_argument', message, { hint });
    }
    return super.showHelp(argv);
  }

  protected override async showRootHelp(): Promise<void> {
    this.log('lhs: search any lakehouse table from the command line\n');
    const columns = this.opts.maxWidth;
    for (const line of this.opts.all ? this.#tasks('') : shortLines(columns)) this.log(line);
    this.log('');
    this.log('lhs COMMAND --help  examples and flags of a command');
    this.log('lhs help -n         all commands, with a summary each');
    const pages = pageNames();
    if (pages.length === 0) return;
    const indent = ' '.repeat(20);
    for (const line of wrapWords(`lhs help PAGE       ${pages.join(', ')}`, columns, indent)) {
      this.log(line);
    }
  }

  protected override async showTopicHelp(topic: Interfaces.Topic): Promise<void> {
    const name = topic.name.replaceAll(':', ' ');
    const of = this.config.pjson.oclif.topics as
      | Record<string, { description?: string }>
      | undefined;
    const description = of?.[topic.name]?.description ?? topic.description ?? '';
    this.log(`lhs ${name}: ${description}\n`);
    for (const line of this.#tasks(name)) this.log(line);
    if (pageNames().includes(name)) this.log(`The page: lhs help ${name}`);
  }

  #showPage(name: string, page: readonly string[]): void {
    for (const line of page) this.log(line);
    const isTopic = this.config.topics.some((topic) => topic.name === name);
    if (isTopic) this.log(`\nCommands: lhs ${name} --help`);
  }

  #tasks(topic: string): readonly string[] {
    const commands = this.config.commands
      .filter(({ hidden }) => hidden !== true)
      .map(({ id, summary, description }) => ({
        id: id.replaceAll(':', ' '),
        summary: this.render(summary ?? description ?? ''),
      }));
    return taskLines(commands, topic, this.opts.maxWidth);
  }
}
