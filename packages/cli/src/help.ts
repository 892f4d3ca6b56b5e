import { type Command, CommandHelp, Help, type Interfaces } from '@oclif/core';
import { flagsBehind } from './config/flags-first.ts';
import { unknownCommand } from './help/not-found.ts';
import { pageLines, pageNames } from './help/pages.ts';
import { shortLines, taskLines, wrapWords } from './help/tasks.ts';
import { plainUsage } from './help/usage-line.ts';
import { asTyped } from './terminal/errors/command-name.ts';

const typed = (line: string): string => asTyped(line, process.env, [], true);

/** Help of a command: examples first, then how it is used. */
class ExamplesFirst extends CommandHelp {
  protected override sections() {
    const sections = super.sections();
    const first = sections.filter((s) => s.header.startsWith('EXAMPLE'));
    return [...first, ...sections.filter((s) => !s.header.startsWith('EXAMPLE'))];
  }

  protected override defaultUsage(): string {
    return plainUsage(super.defaultUsage());
  }

  /** Flags with a short form first: oclif aligns the others to them. Then as they are declared. */
  protected override flags(flags: Command.Flag.Any[]) {
    return super.flags(flags.toSorted((a, b) => Number(!a.char) - Number(!b.char)));
  }

  /** The other names of the command that was typed. */
  protected override aliases(aliases: string[] | undefined): string | undefined {
    return super.aliases(aliases?.filter((name) => name !== this.command.id));
  }
}

/** The help class that package.json names. */
// biome-ignore lint/style/noDefaultExport: oclif loads the default export
export default class LhsHelp extends Help {
  protected override CommandHelpClass = ExamplesFirst;

  /** `lhs help query` prints a page; `lhs query` and `lhs query --help` the commands. */
  async showPageOrHelp(words: string[]): Promise<void> {
    const name = words[0] === 'page' ? (words[1] ?? '') : words[0];
    const isCommand = words[0] !== 'page' && this.config.findCommand(words.join(':')) !== undefined;
    const page = isCommand || name === undefined ? undefined : pageLines(name);
    if (page === undefined) return this.showHelp(words);
    this.#showPage(name, page);
  }

  override async showHelp(argv: string[]): Promise<void> {
    const words = argv.filter((word) => !word.startsWith('-'));
    if (!this.#isKnown(words)) throw unknownCommand(words, this.config.commands);
    const given = flagsBehind(process.argv.slice(2));
    const topic = argv.length === 1 ? (words[0] ?? '').split(':') : [];
    // oclif drops the flags behind a topic
    const isDropped = given.length > topic.length && topic.every((word, i) => word === given[i]);
    if (topic.length > 0 && isDropped) throw unknownCommand(given, this.config.commands);
    return super.showHelp(argv);
  }

  protected override async showRootHelp(): Promise<void> {
    this.log('lhs: search any lakehouse table from the command line\n');
    const columns = this.opts.maxWidth;
    for (const line of this.opts.all ? this.#tasks('') : shortLines(this.#commands(), columns))
      this.log(line);
    this.log('');
    this.log('lhs COMMAND --help  examples and flags of a command');
    this.log('lhs help -n         all commands, with a summary each');
    const pages = pageNames();
    if (pages.length === 0) return;
    const title = typed('lhs help PAGE       ');
    const indent = ' '.repeat(title.length);
    for (const line of wrapWords(title + pages.join(', '), columns, indent)) super.log(line);
  }

  override async showCommandHelp(command: Command.Loadable): Promise<void> {
    await super.showCommandHelp(command);
    const name = command.id.split(/[: ]/).at(-1) ?? '';
    if (pageNames().includes(name)) this.log(`The page: lhs help page ${name}`);
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

  /** Commands are printed as they work here; `#showPage` prints the sentences of a page. */
  protected override log(...texts: string[]): void {
    super.log(...texts.map((text) => text.split('\n').map(typed).join('\n')));
  }

  #showPage(name: string, page: readonly string[]): void {
    for (const line of page) super.log(line);
    const isTopic = this.config.topics.some((topic) => topic.name === name);
    if (isTopic) this.log(`\nCommands: lhs ${name} --help`);
  }

  /** True if the words begin with a command, or are a topic; so are none. */
  #isKnown(words: readonly string[]): boolean {
    const ids = words.map((_, i) => words.slice(0, i + 1).join(':'));
    const topic = ids.at(-1);
    if (topic === undefined || this.config.findTopic(topic) !== undefined) return true;
    return ids.some((id) => this.config.findCommand(id) !== undefined);
  }

  #tasks(topic: string): readonly string[] {
    return taskLines(this.#commands(), topic, this.opts.maxWidth);
  }

  #commands() {
    const all = this.config.commands.filter(({ hidden }) => hidden !== true);
    const long = all.filter(({ id, aliases }) => !aliases.includes(id));
    return long.map(({ id, aliases, summary, description }) => ({
      id: id.replaceAll(':', ' '),
      short: aliases.find((alias) => !alias.includes(':')),
      summary: this.render(summary ?? description ?? ''),
    }));
  }
}
